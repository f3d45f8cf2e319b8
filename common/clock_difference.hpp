// ClockDifference: how far one clock is ahead of another, as far as messages between the two tell.
#pragma once

#include <algorithm>
#include <cstdint>

namespace leasehold {

/// From so much on whoever reads two logs beside each other is confused: said without being asked.
inline constexpr int64_t kClockDiffersMs = 60'000;

/// Somewhere from `low_ms` to `high_ms`; negative where it is behind.
struct ClockDifference {
  int64_t low_ms = 0;
  int64_t high_ms = 0;

  /// The end nearer to none, which it surely reaches; 0: it may be none. What is wrong is judged by
  /// this alone: a message that was long under way makes no clock wrong.
  int64_t surely_ms() const { return low_ms > 0 ? low_ms : std::min<int64_t>(high_ms, 0); }
  int64_t most_ms() const { return std::max(-low_ms, high_ms); }
  /// It is `middle_ms`, at most `error_ms` more or less.
  int64_t middle_ms() const { return low_ms + error_ms(); }
  int64_t error_ms() const { return (high_ms - low_ms + 1) / 2; }
  /// Of the other clock from this one.
  ClockDifference reversed() const { return {-high_ms, -low_ms}; }
  /// Of a third clock, of which the second is so far ahead.
  ClockDifference plus(const ClockDifference& more) const {
    return {low_ms + more.low_ms, high_ms + more.high_ms};
  }
  bool operator==(const ClockDifference&) const = default;
};

}  // namespace leasehold
