// ClockMeter measures how far the wall clock of an agent's machine is from the broker's clock,
// bounded by the round trips of its messages (schema/wire/PROTOCOL.md, "Clocks"). Its readers judge
// whether that is too far. Pure: time comes in.
#pragma once

#include <cstdint>
#include <optional>

#include "common/time/clock_difference.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

class ClockMeter {
 public:
  /// The hello of an agent of an older release may have been under way for so long: it states its
  /// wall clock, and nothing that bounds how old that is.
  static constexpr int64_t kHelloDelayMs = 60'000;

  /// Takes the wall clock that the hello of every release states. `came_ms`, here and below, is the
  /// broker's clock, read after the message was.
  void take_wall(int64_t wall_ms, int64_t came_ms);
  void take_reading(const wire::ClockReading& said, int64_t came_ms);

  /// The difference that is known; nullopt: none is. It changes only when it is wrong or could be
  /// much narrower, so that who asks again is answered the same.
  const std::optional<ClockDifference>& difference() const { return difference_; }

 private:
  void tell(const ClockDifference& found);

  // The difference of its CLOCK_BOOTTIME, which nobody sets, and the broker's clock: the longer it
  // is measured, the better it is known.
  std::optional<ClockDifference> runs_;
  int64_t runs_at_ms_ = 0;
  std::optional<ClockDifference> difference_;
};

}  // namespace leasehold
