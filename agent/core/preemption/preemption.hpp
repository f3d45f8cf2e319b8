// Preemption: a session that deserves more than it has takes slots of sessions that have more than
// they deserve, inside one consumer (agent/core/README.md, "Preemption"; Symphony, "Workload
// preemption"). Pure. Not reclaim between consumers: it takes effect at once, without interrupt and
// grace.
//
// The taker is a preemptive session that is under-allocated and wants slots; it gets at most what
// it lacks. Work ends only where some of the session's waiting work starts by it: a whole job, on
// hosts that its workload manager says would do, as wide as it is, beside what is idle there.
// Higher ranks are served first, then the older session (Symphony names no order); within a session
// the oldest work comes first.
//
// The givers are over-allocated sessions only. They give only what is above what they deserve, and
// have a lower rank than the taker, or an equal one with scope lower-or-equal. Slots that several
// sessions use count as those of the highest rank among them; no session that loses by it may
// become under-allocated. Work that cannot be queued again gives only where no other may.
//
// Order: lowest rank; in it the session by criteria (the one with the most recent task, or the most
// over-allocated); of that one the units with the smallest sum of run times. What the lowest rank
// cannot give, the next one does. A taker with exclusive_host takes whole hosts: each is valued at
// its most important session.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/core/preemption/ends.hpp"
#include "agent/core/work/waiting_shapes.hpp"
#include "agent/core/work/work_session.hpp"

namespace leasehold::agent {

struct Preemption {
  size_t session = 0;         // the taker, by position
  ShapeKey shape = {};        // of its work that starts by it
  std::vector<size_t> units;  // positions, in the order in which they were chosen: end and requeue
  bool operator==(const Preemption&) const = default;
};

/// One entry for each shape for which something ends. Contract: `deserved` is set in `sessions`.
std::vector<Preemption> choose_preemptions(const PreemptionRequest& request,
                                           std::span<const WorkUnit> units,
                                           const WorkSessions& sessions,
                                           const SchedulingSettings& settings, Instant now);

}  // namespace leasehold::agent
