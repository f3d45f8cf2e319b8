// Plan groups: resource groups of the configuration as slot groups, one per export policy, with the
// provider and every leaf's cluster as members. Not what a member is due: plan_cycle.hpp.
//
// Contract: a consumer keeps its position in PlanLedger::consumers for good, so that history and
// members may name it by number; one that the plan no longer names is not configured and due
// nothing.
#pragma once

#include "broker/core/turn.hpp"

namespace leasehold {

/// Brings the ledgers of plans in line with the configuration just taken over.
void take_plans(Turn& turn);

/// The resource group that the policy belongs to now, in State::plans; kNoIndex: none.
uint32_t plan_of_policy(const State& state, const std::string& policy);

/// The plan that is in force at the variant of the ledger; nullptr: no longer configured.
const Plan* plan_in_force(const State& state, const PlanLedger& plan);
const ResourceGroup* resource_group(const State& state, const std::string& name);
/// The variant for that instant.
uint32_t variant_at(const State& state, const std::string& group, Instant now);

/// Members of a new slot group of that plan: the provider, then the clusters of the leaves.
std::vector<Member> plan_members(const State& state, uint32_t plan, uint32_t provider);
/// Adds clusters of new leaves, and says of each member which leaf it stands for now.
void follow_plan(Turn& turn, uint32_t group);

/// Positions of Plan::consumers in the ledger.
std::vector<uint32_t> ledger_positions(const PlanLedger& ledger, const Plan& plan);

/// Recomputes what is derived of all plans. Idempotent.
void derive_plans(State& state);

/// The plan is evaluated at its next cycle.
void look_again_at_plan(State& state, uint32_t plan);
void touch_plan(Turn& turn, uint32_t plan);

}  // namespace leasehold
