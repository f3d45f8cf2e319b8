// Rules: what each rule says of one lease whose gate is open (gate.hpp). The one in force and its
// shadow are asked here alike, of the same state. Not what a rule is (broker/rules), nor carrying
// it out (evaluate.hpp). A new rule has its answer in ask_rule().
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/rules/idle_comparison.hpp"

namespace leasehold {

/// Of the leases of a policy.
inline RuleKind rule_in_force(const ExportPolicy& policy) {
  if (policy.type == LeaseType::exclusive) return RuleKind::exclusive;
  const bool by_demand = policy.rule == RuleKind::demand_aware;
  return by_demand ? RuleKind::demand_aware : RuleKind::idle_comparison;
}

/// The rule reads nothing but the totals, so that a lease's line is enough.
constexpr bool goes_by_totals(RuleKind rule) {
  return rule == RuleKind::idle_comparison;
}

/// Of idle-comparison.
inline RuleAnswer compare_totals(const Totals& sum) {
  const IdleOutcome found = compare_idle(
      {sum.provider_available, sum.provider_used, sum.consumer_available, sum.consumer_used});
  if (found.winner == IdleWinner::nobody) return {Reason::tie, 0, false};
  const bool to_consumer = found.winner == IdleWinner::consumer;
  return {to_consumer ? Reason::provider_idle : Reason::consumer_idle, found.slots, to_consumer};
}

/// Of any; `totals` are those of the group. Contract: of a lease, no plan's group.
RuleAnswer ask_rule(RuleKind rule, const State& state, const SlotGroup& group,
                    const Totals& totals);

}  // namespace leasehold
