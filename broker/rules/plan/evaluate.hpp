// Evaluation of a plan: what its leaves should have, and the moves that bring it about
// (broker/rules/plan/README.md). Pure. place.hpp chooses the hosts.
//
// Contract: evaluate_plan is total for every plan without errors of check_plan (check.hpp)
// and every state of its shape; all arithmetic is exact; equal input gives equal output.
#pragma once

#include <memory>

#include "broker/rules/plan/compiled.hpp"
#include "broker/rules/plan/plan.hpp"

namespace leasehold {

/// `compiled` is that of `plan`.
PlanAnswer evaluate_plan(const Plan& plan, const std::shared_ptr<const CompiledPlan>& compiled,
                         const PlanState& state);
/// Evaluates a plan that is evaluated once.
inline PlanAnswer evaluate_plan(const Plan& plan, const PlanState& state) {
  return evaluate_plan(plan, compile(plan), state);
}

/// The first evaluation of `now` after `before` (broker/rules/plan/README.md, "Windows"). The same
/// as evaluate_plan(now, state), but where the policy of a branch changed and now.net_policy_switch
/// is false: then what it lent and borrowed, and its use above the new ownership, leaves it in this
/// cycle, come what may.
/// `compiled` is that of `now`.
PlanAnswer switch_plan(const Plan& before, const Plan& now,
                       const std::shared_ptr<const CompiledPlan>& compiled, const PlanState& state);
inline PlanAnswer switch_plan(const Plan& before, const Plan& now, const PlanState& state) {
  return switch_plan(before, now, compile(now), state);
}

}  // namespace leasehold
