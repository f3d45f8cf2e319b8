// Takes the snapshot of a plan (snapshot.hpp). Reads only; views take the same one.
#pragma once

#include "broker/core/plan/snapshot.hpp"

namespace leasehold {

/// Counted in whole hosts under exclusive placement, and where a host may not be split.
PlanSnapshot take_snapshot(const State& state, uint32_t plan);

}  // namespace leasehold
