// The slots of a lease and of a plan's hosts as one member sees them, for obstacle.hpp. Reads only.
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/views/explain/obstacle.hpp"
#include "broker/views/plan/now.hpp"

namespace leasehold::explanation {

/// Contract: of a lease.
SlotsSeen seen_of_lease(const State& state, const SlotGroup& group, uint8_t member);

/// All hosts of the resource group as that leaf sees them. Contract: the plan is configured.
SlotsSeen seen_of_plan(const State& state, const PlanNow& now, uint32_t consumer);

}  // namespace leasehold::explanation
