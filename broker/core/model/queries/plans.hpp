// Plans: what the state says of its resource plans: which is in force, where its consumers stand in
// the ledger, which rows and members it counts. Questions, and what is derived of plans; nothing
// is decided here.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/queries/plan_in_force.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold {

/// Returns the resource group that the policy belongs to now, in State::resource_groups; kNoIndex:
/// none.
uint32_t plan_of_policy(const State& state, const std::string& policy);

/// Returns the variant of the resource group's plan for that instant.
uint32_t variant_at(const State& state, const std::string& resource_group, Instant now);

/// The least and the longest grace with which anything is reclaimed from a group.
struct Grace {
  int64_t least_ms = 0;
  int64_t most_ms = 0;
};
/// Returns that in force now. A lease has one; of a plan's group each transfer has its own.
Grace reclaim_grace(const State& state, const SlotGroup& group);

/// Recomputes what is derived of all plans. Idempotent.
void derive_plans(State& state);

/// Has the plan evaluated at the next instant of its grid, and not now.
void queue_plan_evaluation(State& state, uint32_t resource_group);

/// One holder a host: the plan's placement is exclusive, or one of its hosts may not be split.
bool decides_in_hosts(const State& state, const ResourceGroupLedger& ledger, const Plan& plan);

/// True if the slot group takes part in evaluations now.
bool takes_part(const State& state, const SlotGroup& group);
/// True if the member is connected and its workload manager answers: slots may move to it and from
/// it.
bool member_takes_part(const State& state, const SlotGroup& group, size_t member);
/// Returns the slots of the row that the plan may hand out: exported, and to stay so; not those on
/// which a provider without a leaf still runs its own work, nor those of which that is not known
/// yet.
int32_t plan_slots(const State& state, const SlotGroup& group, uint32_t row);
/// True if its host is up, as far as is known, and lends for good.
bool row_is_there(const State& state, const SlotGroup& group, uint32_t row);
/// True if row_is_there() and its provider takes part.
bool row_counts(const State& state, const SlotGroup& group, uint32_t row);

}  // namespace leasehold
