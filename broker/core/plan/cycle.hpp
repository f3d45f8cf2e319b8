// Plan cycle: one evaluation of a resource group's plan and what follows from it: the dues of all
// members, reclaims with their grace, records. evaluate_plan (broker/rules/plan/plan.hpp) decides,
// here it is carried out (broker/rules/plan/README.md). The parameter
// `resource_group` is an index in State::resource_groups.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Evaluates the plan now. `before`: after a reload, the plan that was in force until now; nullptr:
/// the one of the ledger's window. Does nothing while leases are frozen.
void evaluate_plan_now(Turn& turn, uint32_t resource_group, const Plan* before = nullptr);

/// Called when a report changed the demand or the idle slots of that plan. Schedules
/// react_to_reports() for the plan at the next instant of its `react` interval, if none is
/// scheduled yet.
void schedule_plan_reaction(State& state, uint32_t resource_group);
/// Evaluates plans whose idle slots can meet demand that reports have shown since.
void react_to_reports(Turn& turn);

/// Evaluates the plans of that grid in which something changed since, or whose window did.
void evaluate_plans(Turn& turn, uint32_t grid);

}  // namespace leasehold
