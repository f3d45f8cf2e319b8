#include "broker/core/lease/lines.hpp"

#include "broker/core/exports/offer.hpp"
#include "broker/core/lease/by_demand.hpp"
#include "broker/core/lease/gate.hpp"
#include "broker/core/lease/rules.hpp"
#include "broker/core/lease/shadow.hpp"
#include "broker/core/model/derive.hpp"
#include "broker/core/model/hosts.hpp"

namespace leasehold {

namespace {

bool all_answered(const State& state, const SlotGroup& group) {
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (connected(state, group, m) && group.members[m].seq_stated != group.members[m].seq) {
      return false;
    }
  }
  return true;
}

/// Each consumer holds what it may, and an exclusive one all of it; nothing is on its way, nothing
/// is exported that is not wanted.
bool rows_settled(const State& state, const SlotGroup& group) {
  const bool exclusive = is_exclusive(state.policies[group.policy].config.type);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const HostLedger& ledger = group.hosts[row];
    if (ledger.in_transfer != 0 || ledger.exported > ledger.target) return false;
    const int32_t room = consumer_cap(state, group, row) - group.at(row, kConsumer).held;
    if (room < 0 || (exclusive && room > 0)) return false;
    if (moves_whole(state, group, row) && is_split(group, row)) return false;
  }
  return true;
}

/// No order to give again, nothing to hand over, return, offer or take off the exports, and no
/// answer to wait for. It may say no where there is nothing either, never the other way round.
bool is_calm(const State& state, const SlotGroup& group) {
  return group.resource_group == kNoIndex && group.phase == Phase::active && !group.quarantined &&
         group.transfers.empty() && all_answered(state, group) && rows_settled(state, group);
}

/// Reason::none: the line does not know it; its rule decides.
Reason answer_of(const State& state, const SlotGroup& group, const Totals& totals) {
  const Reason closed = gate(state, group);
  if (closed != Reason::none) return closed;
  if (group.resource_group != kNoIndex) return answer_of_plan(state, group);
  const Rule& rule = rule_in_force(state.policies[group.policy].config);
  return rule.of_due == nullptr ? Reason::none : ask_rule(rule, state, group, totals).reason;
}

}  // namespace

LeaseLine line_of(const State& state, uint32_t index) {
  const SlotGroup& group = state.slot_groups[index];
  LeaseLine line;
  line.totals = totals_of(state, group);
  line.provider = group.members[kProvider].cluster;
  if (group.resource_group == kNoIndex) line.consumer = group.members[kConsumer].cluster;
  line.answer = answer_of(state, group, line.totals);
  line.last = group.reason;
  line.calm = is_calm(state, group);
  line.stale = false;
  line.shadowed = is_shadowed(state, group);
  line.rule = rule_in_force(state.policies[group.policy].config).kind;
  line.rests = goes_by_demand(state, group) && rests_by_demand(state, group, line.totals);
  line.still =
      group.resource_group == kNoIndex && group.phase != Phase::closed && group.transfers.empty();
  line.one_host = group.hosts.size() == 1;
  return line;
}

void make_line(State& state, uint32_t index) {
  if (fresh_line(state, index) != nullptr) return;
  if (index >= state.lines.size()) add_lines(state);
  const bool noted = state.lines[index].noted;
  state.lines[index] = line_of(state, index);
  state.lines[index].noted = noted;
}

void make_lines(State& state) {
  for (const uint32_t group : state.stale_lines) {
    make_line(state, group);
    state.lines[group].noted = false;
  }
  state.stale_lines.clear();
}

}  // namespace leasehold
