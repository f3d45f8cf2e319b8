#include "broker/core/lease/shadow.hpp"

#include "broker/core/lease/ask_rule.hpp"
#include "broker/core/lease/gate.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/derive.hpp"

namespace leasehold {

namespace {

Shadow found_now(const Turn& turn, const SlotGroup& group) {
  const State& state = turn.state;
  const ExportPolicy& policy = state.policies[group.policy].config;
  Shadow found;
  const Rule& rule = rule_in_force(policy);
  found.rule = rule.kind;
  found.shadow = *policy.shadow;
  found.totals = totals_of(state, group);
  found.epoch = group.epoch;
  found.evaluated_at = turn.now;
  found.in_force.reason = found.answer.reason = gate(state, group);
  if (found.answer.reason != Reason::none) return found;
  found.in_force = ask_rule(rule, state, group, found.totals);
  found.answer = ask_rule(row_of(found.shadow), state, group, found.totals);
  return found;
}

/// A move that was decided of an older ledger is over, carried out or not: this is another one.
bool is_news(const Shadow& before, const Shadow& now) {
  const bool moves = now.answer.slots != 0 || now.in_force.slots != 0;
  return now.answer != before.answer || now.in_force != before.in_force ||
         (moves && now.epoch != before.epoch);
}

void record_shadow(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  const RuleAnswer& answer = group.shadow->answer;
  Record& row = record(turn, RecordKind::shadow, index, answer.reason);
  row.rule_reason = group.shadow->in_force.reason;
  row.numbers = shadow_numbers(*group.shadow);
  row.slots = answer.slots;
  if (answer.slots == 0) return;
  row.from = group.members[answer.to_consumer ? kProvider : kConsumer].cluster;
  row.to = group.members[answer.to_consumer ? kConsumer : kProvider].cluster;
}

}  // namespace

bool is_shadowed(const State& state, const SlotGroup& group) {
  const ExportPolicy* policy = policy_of_lease(state, group);
  return policy != nullptr && policy->shadow.has_value();
}

void decide_shadow(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  const Shadow found = found_now(turn, group);
  if (group.shadow && !is_news(*group.shadow, found)) return;
  if (group.shadow) {
    *group.shadow = found;
  } else {
    group.shadow.emplace(found);
  }
  touch_group(turn, index);
  record_shadow(turn, index);
}

void forget_shadow(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (!group.shadow) return;
  const ExportPolicy& policy = turn.state.policies[group.policy].config;
  const bool same =
      policy.shadow == group.shadow->shadow && rule_in_force(policy).kind == group.shadow->rule;
  if (same) return;
  group.shadow.reset();
  touch_group(turn, index);
}

}  // namespace leasehold
