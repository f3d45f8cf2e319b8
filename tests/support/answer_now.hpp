// Answers as an evaluation of a lease would now, from its rows as they are. Nothing moves, nothing
// is remembered.
#pragma once

#include "broker/core/lease/ask_rule.hpp"
#include "broker/core/lease/gate.hpp"
#include "broker/core/model/turn/derive.hpp"

namespace leasehold::test {

/// Returns no slots and the gate's reason where that is closed.
inline RuleAnswer answer_now(const State& state, uint32_t lease) {
  const SlotGroup& group = state.slot_groups[lease];
  if (const Reason closed = gate(state, group); closed != Reason::none) return {closed, 0, false};
  const Rule& rule = rule_in_force(state.policies[group.policy].config);
  RuleAnswer answer = ask_rule(rule, state, group, totals_of(state, group));
  if (rule.of_shortfall != nullptr) answer.slots = 0;  // offer() moves them
  return answer;
}

}  // namespace leasehold::test
