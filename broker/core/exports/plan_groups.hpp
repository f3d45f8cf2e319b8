// Plan groups: resource groups of the configuration as slot groups, one per export policy, with the
// provider and every leaf's cluster as members. Not what a member is due: plan/cycle.hpp.
//
// Contract: a consumer keeps its position in ResourceGroupLedger::consumers for good, so that
// history and members may name it by number; one that the plan no longer names is not configured
// and due nothing.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Brings the ledgers of plans in line with the configuration just taken over.
void take_plans(Turn& turn);

/// Members of a new slot group of that plan: the provider, then the clusters of the leaves.
Members plan_members(const State& state, uint32_t resource_group, uint32_t provider);
/// Adds clusters of new leaves, and says of each member which leaf it stands for now.
void follow_plan(Turn& turn, uint32_t group);

}  // namespace leasehold
