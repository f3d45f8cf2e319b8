// Asks any rule of broker/rules/rules.hpp about a lease, and changes nothing: a shadow and the rule
// in force beside it (shadow.hpp), and the reason of an exclusive lease (summaries.hpp). Finds in
// the state what the rule reads: totals, or a view with its own memory, or what is due and missing;
// never transfers, orders, sessions or the clock.
//
// The decision itself does not come here, because it reads less: evaluate.cpp calls of_totals with
// the cached totals, takes the summary's reason under an of_shortfall rule, whose slots offer()
// moves, and calls of_work by evaluate_by_demand() (by_demand.hpp), which keeps the rule's memory.
// Whoever changes what a rule reads changes both paths.
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Returns the rule's answer now; nothing is remembered. `totals` are those of the group. Contract:
/// the group is a lease's, not a plan's, and its gate (gate.hpp) is open.
RuleAnswer ask_rule(const Rule& rule, const State& state, const SlotGroup& group,
                    const Totals& totals);

}  // namespace leasehold
