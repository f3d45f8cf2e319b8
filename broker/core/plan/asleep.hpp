// Asleep: which hosts of a plan that power saving has switched off its next evaluation would give
// to leaves whose work waits, if they were up. As lease/asleep.hpp, which see.
#pragma once

#include <vector>

#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

/// None while the plan gives out idle slots of other hosts; no more than the waiting work lacks
/// beyond what is being switched on for it, in the plan or in leases. What leases or other plans
/// name for the same work, and is not being switched on yet, is not subtracted.
std::vector<RowRef> plan_rows_to_wake(const State& state, uint32_t resource_group);

}  // namespace leasehold
