// ClockMeter: how far the wall clock of an agent's machine is from the broker's clock, bounded by
// the round trips in which it was told (schema/wire/PROTOCOL.md, "Clocks"). Pure: time comes in.
// Not whether that is too far: who reads it says so.
#pragma once

#include <cstdint>
#include <optional>

#include "common/clock_difference.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

class ClockMeter {
 public:
  /// How long the hello of an agent of an older release may have been under way: it tells its wall
  /// clock, and nothing that bounds how old that is.
  static constexpr int64_t kUntoldMs = 60'000;

  /// What a hello tells to every release. `came_ms`, here and below: the broker's clock, read after
  /// the message was.
  void heard_wall(int64_t wall_ms, int64_t came_ms);
  void heard(const wire::ClockReading& said, int64_t came_ms);

  /// What is known; nullopt: nothing. It changes only when it is wrong or could be much narrower,
  /// so that who asks again is answered the same.
  const std::optional<ClockDifference>& told() const { return told_; }

 private:
  void tell(const ClockDifference& found);

  // Of its CLOCK_BOOTTIME and the broker's clock, which nobody sets: known the better the longer.
  std::optional<ClockDifference> runs_;
  int64_t runs_at_ms_ = 0;
  std::optional<ClockDifference> told_;
};

}  // namespace leasehold
