#include "broker/core/plan/gathering.hpp"

#include <algorithm>

#include "broker/rules/demand_aware/wide.hpp"

namespace leasehold {

using demand_aware::Gathering;
using demand_aware::Shape;

namespace {

bool may_begin(const ResourceGroupLedger& ledger, Instant now) {
  return std::none_of(ledger.consumers.begin(), ledger.consumers.end(),
                      [now](const PlanConsumerLedger& leaf) {
                        return leaf.work && leaf.work->grants.gathering.until > now;
                      });
}

/// Returns by consumer whether some of the slots that it was given of nobody's are in use yet: as
/// placement does, those on which nothing runs count as given first.
std::vector<bool> waits_for_ends(const PlanSnapshot& snapshot, const PlacedMoves& placed) {
  std::vector<bool> waits(snapshot.plan->consumers.size(), false);
  std::vector<int64_t> idle;  // by host; in whole hosts the moves are among what is held already
  for (const PlanHost& host : snapshot.hosts) {
    idle.push_back(host.slots - host.busy);
    for (const HostHolding& held : host.held) idle.back() -= held.slots;
  }
  for (const PlacedMove& move : placed.moves) {
    if (move.from != kNoIndex || move.to == kNoIndex) continue;
    if (!snapshot.in_slots) idle[move.host] -= move.slots;
    if (snapshot.hosts[move.host].busy > 0 && idle[move.host] < 0) waits[move.to] = true;
  }
  return waits;
}

const Shape* first_wide(const std::vector<Shape>& shapes) {
  const auto found = std::find_if(shapes.begin(), shapes.end(), [](const Shape& shape) {
    return shape.slots > 1 || shape.whole;
  });
  return found == shapes.end() ? nullptr : &*found;
}

}  // namespace

void begin_gathering(Turn& turn, uint32_t index, const PlanSnapshot& snapshot,
                     const PlacedMoves& placed) {
  if (snapshot.grants.empty()) return;
  ResourceGroupLedger& ledger = turn.state.resource_groups[index];
  if (!may_begin(ledger, turn.now)) return;
  const std::vector<bool> waits = waits_for_ends(snapshot, placed);
  const LeafGrant* first = nullptr;
  const auto place = [&](const LeafGrant& grant) {
    return ledger.consumers[snapshot.ledger[grant.consumer]].priority;
  };
  for (const LeafGrant& grant : snapshot.grants) {
    if (!waits[grant.consumer] || first_wide(grant.shapes) == nullptr) continue;
    if (first == nullptr || place(grant) < place(*first)) first = &grant;
  }
  if (first == nullptr) return;
  CopyPtr<PlanWork>& work = ledger.consumers[snapshot.ledger[first->consumer]].work;
  if (!work) work.emplace();
  work->grants.gathering = {demand_aware::kConsumer, *first_wide(first->shapes),
                            turn.now + demand_aware::kGatherMs};
}

void end_gathering(demand_aware::Ledger& grants, Instant now) {
  Gathering& gathering = grants.gathering;
  const bool over = now >= gathering.until;
  if (gathers(grants) && (over || !any_granted(grants))) {
    gathering = {demand_aware::kNobody, {}, now + demand_aware::kGatherMs};
  } else if (over) {
    gathering = {};
  }
}

Instant granted_at(const demand_aware::Ledger& grants, const std::vector<Shape>& shapes, Instant at,
                   int64_t use_by_ms) {
  return is_gathered(grants, shapes) ? std::max(at, grants.gathering.until + -2 * use_by_ms) : at;
}

}  // namespace leasehold
