#include "broker/rules/demand_aware/own_ends.hpp"

#include <algorithm>

namespace leasehold::demand_aware {

OwnEnds::OwnEnds(const Side& side, int64_t within_ms) : hosts_(side.hosts) {
  for (const Ending& one : side.ending) {
    const int64_t length_ms = one.within_ms - one.after_ms;
    const int64_t over_ms = std::clamp<int64_t>(within_ms - one.after_ms, 0, length_ms);
    slots_ += one.slots * over_ms / length_ms;
  }
}

/// On one host each, by the worst way in which the slots can lie: each host but those has one too
/// few.
int64_t OwnEnds::jobs_anyhow(const Waiting& waiting) const {
  const Shape& shape = waiting.shape;
  const int64_t each = shape.slots_per_host;
  if (!waiting.rows.empty() || shape.hosts > 1 || shape.whole) return 0;
  if (each == 1) return slots_ / shape.slots;
  if (shape.slots > each || hosts_ == 0) return 0;
  const int64_t too_few = hosts_ * (each - 1);
  return slots_ > too_few ? (slots_ - too_few + each - 1) / each : 0;
}

int64_t OwnEnds::take(const Waiting& waiting) {
  if (slots_ == 0) return 0;
  const int64_t jobs = std::min(waiting.jobs, jobs_anyhow(waiting));
  slots_ = jobs < waiting.jobs ? 0 : slots_ - jobs * waiting.shape.slots;
  return jobs;
}

}  // namespace leasehold::demand_aware
