// Numbers: the six numbers of an evaluation as a group keeps them (number_names, model/effect.hpp).
// They count slots, which nearly always fit in four bytes each; where one does not, all six lie
// elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace leasehold {

class Numbers {
 public:
  using All = std::array<int64_t, 6>;

  Numbers() = default;
  Numbers(const All& all) { set(all); }  // NOLINT: it stands for them
  Numbers(const Numbers& other) : Numbers(other.all()) {}
  Numbers(Numbers&& other) noexcept { std::swap(inline_, other.inline_); }
  Numbers& operator=(const Numbers& other) { return *this = Numbers(other); }
  Numbers& operator=(Numbers&& other) noexcept {
    std::swap(inline_, other.inline_);
    return *this;
  }
  /// Assigns all numbers at once, in place where they fit: each recorded evaluation does so.
  Numbers& operator=(const All& all) {
    if (lie_elsewhere() || !fit(all)) return *this = Numbers(all);
    put(all);
    return *this;
  }
  ~Numbers() {
    if (lie_elsewhere()) delete elsewhere();
  }

  All all() const {
    if (lie_elsewhere()) return *elsewhere();
    All all{};
    for (size_t i = 0; i < all.size(); ++i) all[i] = inline_[i];
    return all;
  }
  operator All() const { return all(); }  // NOLINT: it stands for them
  bool operator==(const Numbers& other) const { return all() == other.all(); }

 private:
  /// In the last place: the first ones say where all six are. No number here is ever this one.
  static constexpr int32_t kElsewhere = INT32_MIN;

  bool lie_elsewhere() const { return inline_.back() == kElsewhere; }
  All* elsewhere() const {
    All* all = nullptr;
    std::memcpy(&all, inline_.data(), sizeof all);
    return all;
  }
  static bool fit(const All& all) {
    bool each = true;
    for (const int64_t number : all) each &= number > INT32_MIN && number <= INT32_MAX;
    return each;
  }
  void put(const All& all) {
    for (size_t i = 0; i < all.size(); ++i) inline_[i] = static_cast<int32_t>(all[i]);
  }
  void set(const All& all) {
    if (!fit(all)) return set_elsewhere(all);
    put(all);
  }
  void set_elsewhere(const All& all) {
    All* const made = new All(all);
    std::memcpy(inline_.data(), &made, sizeof made);
    inline_.back() = kElsewhere;
  }

  std::array<int32_t, 6> inline_{};
};

}  // namespace leasehold
