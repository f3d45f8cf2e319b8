// The plan of a resource group that is in force now, and a member's leaf in it.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Returns the plan that is in force at the variant of the ledger; nullptr: no longer configured.
const Plan* plan_in_force(const State& state, const ResourceGroupLedger& plan);
/// Returns the leaf that the member stands for in the plan in force; nullptr: none.
const PlanConsumer* leaf_in_force(const State& state, const SlotGroup& group, size_t member);
const ResourceGroup* resource_group(const State& state, const std::string& name);

}  // namespace leasehold
