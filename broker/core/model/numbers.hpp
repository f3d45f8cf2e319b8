// Numbers: the six numbers of an evaluation as a group keeps them (number_names, effect.hpp). They
// count slots, which nearly always fit in four bytes each; where one does not, all six lie
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
  Numbers(Numbers&& other) noexcept { std::swap(few_, other.few_); }
  Numbers& operator=(const Numbers& other) { return *this = Numbers(other); }
  Numbers& operator=(Numbers&& other) noexcept {
    std::swap(few_, other.few_);
    return *this;
  }
  ~Numbers() {
    if (lie_elsewhere()) delete elsewhere();
  }

  All all() const {
    if (lie_elsewhere()) return *elsewhere();
    All all{};
    for (size_t i = 0; i < all.size(); ++i) all[i] = few_[i];
    return all;
  }
  operator All() const { return all(); }  // NOLINT: it stands for them
  bool operator==(const Numbers& other) const { return all() == other.all(); }

 private:
  /// In the last place: the first ones say where all six are. No number here is ever this one.
  static constexpr int32_t kElsewhere = INT32_MIN;

  bool lie_elsewhere() const { return few_.back() == kElsewhere; }
  All* elsewhere() const {
    All* all = nullptr;
    std::memcpy(&all, few_.data(), sizeof all);
    return all;
  }
  void set(const All& all) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i] <= INT32_MIN || all[i] > INT32_MAX) return set_elsewhere(all);
      few_[i] = static_cast<int32_t>(all[i]);
    }
  }
  void set_elsewhere(const All& all) {
    All* const made = new All(all);
    std::memcpy(few_.data(), &made, sizeof made);
    few_.back() = kElsewhere;
  }

  std::array<int32_t, 6> few_{};
};

}  // namespace leasehold
