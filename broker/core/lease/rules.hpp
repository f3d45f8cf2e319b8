// Where a row of broker/rules/rules.hpp meets a lease: what the rule reads is found in the state,
// and the rule is asked. The gate is open (gate.hpp); carrying out is evaluate.hpp.
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// What the rule says now; nothing is remembered. `totals` are those of the group. Contract: the
/// group is a lease's, not a plan's.
RuleAnswer ask_rule(const Rule& rule, const State& state, const SlotGroup& group,
                    const Totals& totals);

}  // namespace leasehold
