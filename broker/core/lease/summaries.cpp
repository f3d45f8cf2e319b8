#include "broker/core/lease/summaries.hpp"

#include "broker/core/exports/offer.hpp"
#include "broker/core/lease/ask_rule.hpp"
#include "broker/core/lease/by_demand.hpp"
#include "broker/core/lease/gate.hpp"
#include "broker/core/lease/shadow.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/derive.hpp"

namespace leasehold {

namespace {

/// True if each consumer holds what it may, and an exclusive one all of it; nothing is on its way,
/// nothing is exported that is not wanted.
bool nothing_to_move(const State& state, const SlotGroup& group) {
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
bool is_converged(const State& state, const SlotGroup& group) {
  return group.phase == Phase::active && !group.quarantined && group.transfers.empty() &&
         !answers_owed(state, group) && nothing_to_move(state, group);
}

/// Adds what a plan's group does not have. Where its gate is open and the summary does not know the
/// answer, the rule decides.
void add_lease(const State& state, const SlotGroup& group, LeaseSummary& summary) {
  const Rule& rule = rule_in_force(state.policies[group.policy].config);
  summary.totals = totals_of(state, group);
  summary.consumer = group.members[kConsumer].cluster;
  if (summary.answer == Reason::none && rule.of_shortfall != nullptr) {
    summary.answer = ask_rule(rule, state, group, summary.totals).reason;
  }
  summary.rule = rule.kind;
  summary.converged = is_converged(state, group);
  summary.shadowed = is_shadowed(state, group);
  summary.needs_waiting_work =
      goes_by_demand(state, group) && needs_waiting_work(state, group, summary.totals);
  summary.no_transfer_open = group.phase != Phase::closed && group.transfers.empty();
  summary.one_host = group.hosts.size() == 1;
}

}  // namespace

LeaseSummary summary_of(const State& state, uint32_t index) {
  const SlotGroup& group = state.slot_groups[index];
  LeaseSummary summary;
  summary.provider = group.members[kProvider].cluster;
  summary.answer = gate(state, group);
  summary.last = group.reason;
  summary.stale = false;
  if (group.resource_group == kNoIndex) {
    add_lease(state, group, summary);
  } else if (summary.answer == Reason::none) {
    summary.answer = answer_of_plan(state, group);
  }
  return summary;
}

void make_summary(State& state, uint32_t index) {
  if (fresh_summary(state, index) != nullptr) return;
  if (index >= state.summaries.size()) add_summaries(state);
  const bool listed = state.summaries[index].listed;
  state.summaries[index] = summary_of(state, index);
  state.summaries[index].listed = listed;
}

void make_summaries(State& state) {
  for (const uint32_t group : state.stale_summaries) {
    make_summary(state, group);
    state.summaries[group].listed = false;
  }
  state.stale_summaries.clear();
}

}  // namespace leasehold
