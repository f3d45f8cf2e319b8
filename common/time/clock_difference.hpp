// ClockDifference is how far one clock is ahead of another, as far as messages between the two show
// it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace leasehold {

/// A difference from which on a reader who compares two logs is misled, so it is reported unasked.
inline constexpr int64_t kClockDiffersMs = 60'000;

/// A range: the difference lies from `low_ms` to `high_ms`, negative where the clock is behind.
struct ClockDifference {
  int64_t low_ms = 0;
  int64_t high_ms = 0;

  /// Returns the difference that is certain: the end of the range nearer to zero, or 0 if the
  /// clocks may agree. Faults are judged by this alone: a message that was long under way makes no
  /// clock wrong.
  int64_t surely_ms() const { return low_ms > 0 ? low_ms : std::min<int64_t>(high_ms, 0); }
  int64_t most_ms() const { return std::max(-low_ms, high_ms); }
  /// Returns the middle: the difference is that, at most error_ms() more or less.
  int64_t middle_ms() const { return low_ms + error_ms(); }
  int64_t error_ms() const { return (high_ms - low_ms + 1) / 2; }
  /// Returns the same difference seen from the other clock.
  ClockDifference reversed() const { return {-high_ms, -low_ms}; }
  /// Returns the difference of a third clock, which is `more` ahead of the second.
  ClockDifference plus(const ClockDifference& more) const {
    return {low_ms + more.low_ms, high_ms + more.high_ms};
  }
  bool operator==(const ClockDifference&) const = default;
};

}  // namespace leasehold
