// Takes the snapshot of a plan (snapshot.hpp). Reads only; views take the same one.
#pragma once

#include "broker/core/plan/snapshot.hpp"

namespace leasehold {

/// Counted in whole hosts under exclusive placement, and where a host may not be split. `counted`:
/// as it would be if hosts that are asleep were up, with nothing in use on them.
PlanSnapshot take_snapshot(const State& state, uint32_t resource_group,
                           Asleep asleep = Asleep::left_out);

}  // namespace leasehold
