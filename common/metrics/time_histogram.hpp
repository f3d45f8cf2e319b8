// TimeHistogram counts durations in fixed buckets. It is a value; counting allocates nothing and
// takes no lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leasehold {

class TimeHistogram {
 public:
  /// Upper bounds in microseconds, each included. One more bucket holds longer durations.
  static constexpr std::array<int64_t, 12> kBoundsUs{50,      100,       500,       1'000,
                                                     5'000,   10'000,    50'000,    100'000,
                                                     500'000, 1'000'000, 5'000'000, 10'000'000};

  void add(int64_t us) {
    size_t bucket = 0;
    while (bucket < kBoundsUs.size() && us > kBoundsUs[bucket]) ++bucket;
    ++counts_[bucket];
    sum_us_ += us;
  }

  /// Each bucket's own count; they are not cumulative.
  const std::array<uint64_t, kBoundsUs.size() + 1>& counts() const { return counts_; }
  int64_t sum_us() const { return sum_us_; }

 private:
  std::array<uint64_t, kBoundsUs.size() + 1> counts_{};
  int64_t sum_us_ = 0;
};

}  // namespace leasehold
