#include "broker/ports/agents/clock_meter.hpp"

#include "broker/core/bounds.hpp"

namespace leasehold {

namespace {

/// All clocks are read to the millisecond, the two of an agent not in the same one.
constexpr int64_t kRoundedMs = 3;
/// Clocks run apart by at most one part in so many, as leases that end by themselves also assume
/// (broker/core/agents/lease_bounds.hpp).
constexpr int64_t kAlike = 100;
/// The difference that is known changes by such steps.
constexpr int64_t kStepMs = 50;

int64_t worn(int64_t age_ms) {
  return (age_ms + kAlike - 1) / kAlike;
}

bool can_be(const wire::ClockReading& said, int64_t came_ms) {
  return said.wall_ms > 0 && said.wall_ms <= kYear9999Ms && said.heard_boottime_ms >= 0 &&
         said.boottime_ms >= said.heard_boottime_ms && said.boottime_ms <= kYear9999Ms &&
         said.heard_sent_ms > 0 && said.heard_sent_ms <= came_ms;
}

/// The message left the agent before it came here, and the broker's message left before the agent
/// received it.
ClockDifference bounds_of(const wire::ClockReading& said, int64_t came_ms) {
  return {said.boottime_ms - came_ms - kRoundedMs, said.heard_boottime_ms - said.heard_sent_ms +
                                                       kRoundedMs +
                                                       worn(came_ms - said.heard_sent_ms)};
}

bool is_empty(const ClockDifference& range) {
  return range.low_ms > range.high_ms;
}

int64_t step_down(int64_t ms) {
  return (ms >= 0 ? ms : ms - kStepMs + 1) / kStepMs * kStepMs;
}

}  // namespace

void ClockMeter::take_wall(int64_t wall_ms, int64_t came_ms) {
  if (wall_ms <= 0 || wall_ms > kYear9999Ms) return;
  const int64_t ahead_ms = wall_ms - came_ms;
  difference_ = ClockDifference{ahead_ms - kHelloDelayMs, ahead_ms + kHelloDelayMs};
}

/// If the new bounds contradict the known ones, one of the two clocks has stood still since: the
/// known ones are dropped. If a reading contradicts itself, a clock stood still meanwhile.
void ClockMeter::take_reading(const wire::ClockReading& said, int64_t came_ms) {
  if (!can_be(said, came_ms)) return;
  const ClockDifference fresh = bounds_of(said, came_ms);
  if (is_empty(fresh)) {
    *this = {};
    return;
  }
  ClockDifference both = fresh;
  if (runs_) {
    const int64_t worn_ms = worn(came_ms - runs_at_ms_);
    both = {std::max(fresh.low_ms, runs_->low_ms - worn_ms),
            std::min(fresh.high_ms, runs_->high_ms + worn_ms)};
  }
  runs_ = is_empty(both) ? fresh : both;
  runs_at_ms_ = came_ms;
  const int64_t wall_ms = said.wall_ms - said.boottime_ms;
  tell({runs_->low_ms + wall_ms, runs_->high_ms + wall_ms});
}

void ClockMeter::tell(const ClockDifference& found) {
  const bool right =
      difference_ && difference_->low_ms <= found.low_ms && found.high_ms <= difference_->high_ms;
  if (right && difference_->error_ms() <= 2 * found.error_ms() + kStepMs) return;
  difference_ = ClockDifference{step_down(found.low_ms), -step_down(-found.high_ms)};
}

}  // namespace leasehold
