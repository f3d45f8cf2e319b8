// Asks a rule of broker/rules/rules.hpp about a lease: finds in the state what the rule reads. The
// gate (gate.hpp) is open by then; evaluate.hpp carries the answer out. A rule gets totals, or a
// view with its own memory, or what is due and missing; never the state, transfers, orders,
// sessions or the clock. Its row has one of of_totals, of_work and of_shortfall.
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Returns the rule's answer now; nothing is remembered. `totals` are those of the group. Contract:
/// the group is a lease's, not a plan's.
RuleAnswer ask_rule(const Rule& rule, const State& state, const SlotGroup& group,
                    const Totals& totals);

}  // namespace leasehold
