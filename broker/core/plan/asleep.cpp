#include "broker/core/plan/asleep.hpp"

#include <algorithm>

#include "broker/core/model/plans.hpp"
#include "broker/core/plan/in_hosts.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "broker/rules/plan/evaluate.hpp"

namespace leasehold {

namespace {

bool any_sleeps(const State& state, const ResourceGroupLedger& ledger) {
  for (const uint32_t g : ledger.slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      if (sleeps(state, group, row)) return true;
    }
  }
  return false;
}

PlacedMoves moves_of(PlanSnapshot& snapshot) {
  PlanAnswer answer = evaluate_plan(*snapshot.plan, snapshot.compiled, snapshot.state);
  PlacedMoves placed =
      place_moves(*snapshot.plan, *snapshot.compiled, answer, snapshot.hosts, snapshot.select());
  count_in_slots(snapshot, answer, placed);
  return placed;
}

/// The consumer's work waits.
bool waits(const State& state, const PlanSnapshot& snapshot, uint32_t consumer) {
  const uint32_t cluster = snapshot.ready->cluster[consumer];
  return cluster != kNoIndex && state.clusters[cluster].pending > 0;
}

uint32_t provider_of(const State& state, const RowRef& at) {
  return state.slot_groups[at.group].members[kProvider].cluster;
}

/// Rows that their holders have already, and wait for.
void add_held(const State& state, const PlanSnapshot& snapshot, std::vector<RowRef>& rows) {
  for (const RowRef& at : snapshot.rows) {
    const SlotGroup& group = state.slot_groups[at.group];
    if (!sleeps(state, group, at.row)) continue;
    for (const Member& member : group.members) {
      const size_t m = static_cast<size_t>(&member - group.members.data());
      const bool other = member.cluster != provider_of(state, at);
      if (other && group.at(at.row, m).due > 0 && state.clusters[member.cluster].pending > 0) {
        rows.push_back(at);
        break;
      }
    }
  }
}

}  // namespace

std::vector<RowRef> plan_rows_to_wake(const State& state, uint32_t plan) {
  const ResourceGroupLedger& ledger = state.resource_groups[plan];
  const bool moves = ledger.configured && state.config.mode == Mode::lease && !state.frozen;
  if (!moves || !any_sleeps(state, ledger)) return {};
  PlanSnapshot now = take_snapshot(state, plan);
  if (now.plan == nullptr) return {};
  for (const PlacedMove& move : moves_of(now).moves) {
    if (move.to != kNoIndex) return {};
  }
  PlanSnapshot snapshot = take_snapshot(state, plan, Asleep::counted);
  std::vector<RowRef> rows;
  for (const PlacedMove& move : moves_of(snapshot).moves) {
    if (move.to == kNoIndex || !waits(state, snapshot, move.to)) continue;
    const RowRef& at = snapshot.rows[move.host];
    const bool other = snapshot.ready->cluster[move.to] != provider_of(state, at);
    if (other && sleeps(state, state.slot_groups[at.group], at.row)) rows.push_back(at);
  }
  add_held(state, snapshot, rows);
  return rows;
}

}  // namespace leasehold
