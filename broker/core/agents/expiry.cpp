#include "broker/core/agents/expiry.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/agents/breach.hpp"
#include "broker/core/agents/lease_bounds.hpp"
#include "broker/core/agents/quarantine.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/model/turn/lease_dues.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

/// True if the cluster has, or may have, something of the group that is not its own.
bool may_use(const SlotGroup& group, uint32_t cluster) {
  const size_t m = member_of(group, cluster);
  if (group.quarantined && !group.members[m].known_since_start) return true;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.at(row, m).held > 0) return true;
  }
  return false;
}

void expire_cluster(Turn& turn, uint32_t cluster) {
  State& state = turn.state;
  Cluster& of = state.clusters[cluster];
  of.expires_at = kNever;
  int64_t groups = 0;
  for (uint32_t g : of.slot_groups) {
    if (!is_consumer(state.slot_groups[g], cluster) || !may_use(state.slot_groups[g], cluster)) {
      continue;
    }
    if (state.slot_groups[g].members[member_of(state.slot_groups[g], cluster)].doubted) continue;
    state.returning.push_back({g, cluster, Reason::lease_expired});
    ++groups;
  }
  if (groups == 0) return;
  record_cluster(turn, RecordKind::lease_expired, cluster, Reason::lease_expired).numbers = {
      groups, of.lease_bound_ms, 0, 0, 0, 0};
}

/// Slots that the cluster held of others' go home; of its own exports it holds on.
void return_slots(Turn& turn, uint32_t index, uint32_t cluster, Reason reason) {
  SlotGroup& group = turn.group(index);
  if (group.phase == Phase::closed) return;
  const size_t m = member_of(group, cluster);
  // The number counts as that of an order that is not sent: a statement under an earlier order,
  // even after a restart of the broker, is of a member that has missed it.
  group.members[m].seq = ++turn.state.clusters[cluster].seq;
  touch_cluster(turn, cluster);
  group.members[m].known_since_start = true;
  group.members[m].trusted = m != kProvider;
  set_breach(group, m, 0);
  // The word is of what it leases: what a provider has in force of its own exports is not known.
  group.members[m].doubted = m == kProvider;
  int32_t slots = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    Holding& holding = group.at(row, m);
    holding.stated = holding.used = 0;
    holding.withheld = false;
    if (m == kProvider || group.quarantined) continue;
    group.hosts[row].in_transfer += holding.held;
    slots += std::exchange(holding.held, 0);
    ++group.epoch;
  }
  if (reason == Reason::lease_expired) {
    Record& row = record(turn, RecordKind::lease_expired, index, reason);
    row.from = cluster;
    row.slots = slots;
  }
  if (m != kProvider) {
    cancel_transfers(turn, index, m, reason);
    renew_dues(group);
  }
  group_changed(turn, index);
  watch_breach(turn, index);
  end_quarantine_on_contact(turn, index);
  turn.marks.add(index, Cause::slots_freed);
}

}  // namespace

void expire_leases(Turn& turn) {
  State& state = turn.state;
  if (state.expiry_next > turn.now || state.config.mode == Mode::observe) return;
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    if (state.clusters[c].expires_at <= turn.now) expire_cluster(turn, c);
  }
  derive_expiry(state);
  turn.state_changed = true;
  if (!state.returning.empty()) state.returning_next = turn.now;
}

void return_some(Turn& turn) {
  State& state = turn.state;
  if (state.returning_next > turn.now) return;
  const auto last = static_cast<uint32_t>(
      std::min<size_t>(state.returning.size(), size_t{state.returned} + kReturnsPerStep));
  while (state.returned < last) {
    const Returning next = state.returning[state.returned++];
    return_slots(turn, next.group, next.cluster, next.reason);
  }
  turn.state_changed = true;  // even if no slots return: later steps depend on it
  if (state.returned == state.returning.size()) {
    stop_returning(state);
  } else {
    state.returning_next = turn.now + 1;
  }
}

void forget_cluster(Turn& turn, uint32_t cluster) {
  State& state = turn.state;
  for (uint32_t g : state.clusters[cluster].slot_groups) {
    state.returning.push_back({g, cluster, Reason::operator_order});
  }
  if (state.returning.empty()) return;
  state.returning_next = turn.now;
  return_some(turn);
}

}  // namespace leasehold
