// The part of grants.hpp that remembers what was given, lost and used.
#include <algorithm>
#include <utility>

#include "broker/core/model/queries/being_served.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/plan/gathering.hpp"
#include "broker/core/plan/grants.hpp"
#include "broker/core/plan/leaf_rows.hpp"
#include "broker/rules/demand_aware/grants.hpp"

namespace leasehold {

namespace {

using demand_aware::Grant;

/// Returns the longest grace of work that has to end for what the leaf gets.
int64_t grace_of(const PlanSnapshot& snapshot, const DampedMoves& damped, const PlacedMoves& placed,
                 uint32_t leaf) {
  int64_t grace_ms = 0;
  for (const PlacedMove& move : placed.moves) {
    if (move.to != leaf || move.from == kNoIndex) continue;
    grace_ms = std::max(grace_ms, snapshot.plan->consumers[move.from].reclaim_grace_ms);
    for (const PlanMove& planned : damped.moves) {
      if (planned.from == move.from) grace_ms = std::max(grace_ms, planned.grace_ms);
    }
  }
  return grace_ms;
}

/// There are as many earlier grants as are kept: the last one has more slots, and more time.
void add_to_last(Grant& last, const Grant& more) {
  last.slots += more.slots;
  last.unused += more.unused;
  last.at = std::max(last.at, more.at);
  for (const demand_aware::Shape& shape : more.shapes) {
    if (std::count(last.shapes.begin(), last.shapes.end(), shape) == 0) {
      last.shapes.push_back(shape);
    }
  }
}

/// The leaf lost slots to others that it had not used yet, nor left unused: first those that it had
/// for no work, then those that were granted first.
void note_loss(PlanWork& work, int64_t unused) {
  demand_aware::Ledger& grants = work.grants;
  int64_t lost = work.beside + grants.left_unused - unused;
  lost += still_granted(grants, demand_aware::kConsumer);
  const auto take = [&lost](auto& slots) {
    const auto part = static_cast<int32_t>(std::clamp<int64_t>(lost, 0, slots));
    slots -= part;
    lost -= part;
    return part;
  };
  take(work.beside);
  take(grants.left_unused);
  for (Grant& one : grants.earlier) one.slots -= take(one.unused);
  std::erase_if(grants.earlier, [](const Grant& one) { return one.slots == 0; });
  if (grants.grant.to == demand_aware::kNobody) return;
  grants.grant.slots -= take(grants.grant.unused);
  if (grants.grant.slots == 0) grants.grant = {};
}

/// Returns what the leaf has idle besides what it was granted, of hosts that are up.
int64_t idle_besides(const State& state, std::vector<LeafRow> rows, bool whole, int64_t granted) {
  std::erase_if(rows, [&](const LeafRow& one) {
    return !state.slot_groups[one.group].at(one.row, one.member).up;
  });
  return std::max<int64_t>(0, unused_on(state, rows, whole) - granted);
}

void note_losses(Turn& turn, uint32_t index, bool whole) {
  const ResourceGroupLedger& ledger = turn.state.resource_groups[index];
  for (uint32_t leaf = 0; leaf < ledger.consumers.size(); ++leaf) {
    const CopyPtr<PlanWork>& known = ledger.consumers[leaf].work;
    if (!known || !any_grant(known->grants)) continue;
    PlanWork work = *known;
    note_loss(work, unused_on(turn.state, rows_of_leaf(turn.state, ledger, leaf), whole));
    if (work.grants == known->grants && work.beside == known->beside) continue;
    *turn.state.resource_groups[index].consumers[leaf].work = std::move(work);
    touch_plan(turn, index);
  }
}

}  // namespace

void note_plan_grants(Turn& turn, uint32_t index, const PlanSnapshot& snapshot,
                      const DampedMoves& damped, const PlacedMoves& placed) {
  const bool whole = snapshot.in_slots.has_value();
  note_losses(turn, index, whole);
  begin_gathering(turn, index, snapshot, placed);
  for (const LeafGrant& grant : snapshot.grants) {
    int64_t slots = 0;
    for (const PlacedMove& move : placed.moves) slots += move.to == grant.consumer ? move.slots : 0;
    const auto given = static_cast<int32_t>(std::min(slots, grant.slots));
    if (given == 0) continue;
    const Instant there = turn.now + grace_of(snapshot, damped, placed, grant.consumer);
    ResourceGroupLedger& ledger = turn.state.resource_groups[index];
    const uint32_t leaf = snapshot.ledger[grant.consumer];
    CopyPtr<PlanWork>& work = ledger.consumers[leaf].work;
    if (!work) work.emplace();
    demand_aware::Ledger& known = work->grants;
    const Instant at =
        granted_at(known, grant.shapes, there, grant_settings(turn.state, ledger).use_by_ms);
    Grant added{demand_aware::kConsumer, given, given, at, grant.shapes};
    const int64_t granted = still_granted(known, demand_aware::kConsumer) + given;
    work->beside =
        std::min(grant.beside,
                 idle_besides(turn.state, rows_of_leaf(turn.state, ledger, leaf), whole, granted));
    if (known.earlier.size() == demand_aware::kEarlierMost &&
        known.grant.to != demand_aware::kNobody) {
      add_to_last(known.grant, added);
    } else {
      demand_aware::replace_grant({}, known, std::move(added));
    }
    touch_plan(turn, index);
  }
}

void note_plan_use(Turn& turn, uint32_t index, size_t member) {
  const SlotGroup& group = turn.group(index);
  const uint32_t leaf = group.members[member].plan_consumer;
  if (leaf == kNoIndex) return;
  const ResourceGroupLedger& ledger = turn.state.resource_groups[group.resource_group];
  const CopyPtr<PlanWork>& work = ledger.consumers[leaf].work;
  if (!work || !any_grant(work->grants)) return;
  const std::vector<LeafRow> rows = rows_of_leaf(turn.state, ledger, leaf);
  if (note_use(turn.state, group.resource_group, leaf, rows)) {
    touch_plan(turn, group.resource_group);
  }
}

}  // namespace leasehold
