#include "broker/core/expiry.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/deadlines.hpp"
#include "broker/core/hosts.hpp"
#include "broker/core/quarantine.hpp"
#include "broker/core/reported.hpp"
#include "broker/core/returns.hpp"
#include "broker/core/transfers.hpp"
#include "common/canary.hpp"

namespace leasehold {

int64_t clock_margin_ms(int64_t duration_ms) {
  constexpr int64_t kLeastMs = 1000;
  return std::max(kLeastMs, (duration_ms + 99) / 100);
}

int64_t returns_after_ms(const State& state, const Cluster& cluster) {
  if (cluster.lease_bound_ms == 0) return 0;
  const int64_t allowed = cluster.lease_bound_ms + state.config.leeway_ms;
  return allowed + clock_margin_ms(allowed);
}

int64_t ttl_told_ms(const State& state, const Cluster& cluster) {
  const bool ends = cluster.self_expiring && state.config.mode == Mode::lease;
  return ends ? state.config.lease_ttl_ms : 0;
}

namespace {

/// Contract: the cluster is a member.
bool is_consumer(const Group& group, uint32_t cluster) {
  return group.members[kProvider].cluster != cluster;
}

int64_t grace_most_ms(const State& state, const Group& group) {
  return group.plan == kNoIndex ? state.policies[group.policy].config.reclaim_grace_ms
                                : state.plans[group.plan].grace_most_ms;
}

int64_t longest_grace(const State& state, uint32_t cluster) {
  int64_t longest = 0;
  for (uint32_t g : state.clusters[cluster].groups) {
    const Group& group = state.groups[g];
    if (!is_consumer(group, cluster)) continue;
    longest = std::max(longest, grace_most_ms(state, group));
  }
  return longest;
}

void set_bound(Turn& turn, uint32_t cluster, int64_t bound_ms) {
  Cluster& of = turn.state.clusters[cluster];
  if (of.lease_bound_ms == bound_ms) return;
  of.lease_bound_ms = bound_ms;
  touch_cluster(turn, cluster);
}

}  // namespace

void lease_told(Turn& turn, uint32_t cluster) {
  Cluster& of = turn.state.clusters[cluster];
  if (of.contact != Contact::ok) return;  // a lost one is sent nothing
  const int64_t ttl = ttl_told_ms(turn.state, of);
  of.lease_told_ms = ttl == 0 ? 0 : ttl + longest_grace(turn.state, cluster);
  // For ever it stays until the agent states otherwise.
  if (of.lease_bound_ms == 0) return;
  set_bound(turn, cluster, ttl == 0 ? 0 : std::max(of.lease_bound_ms, of.lease_told_ms));
}

int64_t bound_stated(const Cluster& cluster, int64_t lease_ms) {
  const bool ends = lease_ms > 0 && cluster.lease_told_ms > 0;
  return ends ? std::max(lease_ms, cluster.lease_told_ms) : 0;
}

void lease_stated(Turn& turn, uint32_t cluster, int64_t lease_ms) {
  set_bound(turn, cluster, bound_stated(turn.state.clusters[cluster], lease_ms));
}

void distrust_bounds(Turn& turn) {
  for (uint32_t c = 0; c < turn.state.clusters.size(); ++c) {
    if (turn.state.clusters[c].contact == Contact::ok) continue;
    set_bound(turn, c, 0);
    turn.state.clusters[c].expires_at = kNever;
  }
  derive_expiry(turn.state);
}

void count_down(Turn& turn, uint32_t cluster, Instant renewed_at) {
  State& state = turn.state;
  Cluster& of = state.clusters[cluster];
  const int64_t after = returns_after_ms(state, of);
  if (LEASEHOLD_CANARY(expires_from_last_change)) {
    renewed_at = state.started;
    for (const uint32_t g : of.groups) renewed_at = std::max(renewed_at, state.groups[g].since);
  }
  of.expires_at = after > 0 ? std::max(renewed_at, state.started) + after : kNever;
  state.expiry_next = std::min(state.expiry_next, of.expires_at);
}

void warn_of_endless(Turn& turn, uint32_t cluster) {
  const State& state = turn.state;
  const Cluster& of = state.clusters[cluster];
  const bool meant = state.config.lease_ttl_ms > 0 && state.config.mode == Mode::lease;
  if (!meant || of.expires_at != kNever) return;
  const bool leases = std::any_of(of.groups.begin(), of.groups.end(), [&](uint32_t g) {
    return is_consumer(state.groups[g], cluster);
  });
  if (leases) record_cluster(turn, RecordKind::alarm, cluster, Reason::not_self_expiring);
}

void lease_heard(Turn& turn, uint32_t cluster) {
  State& state = turn.state;
  if (std::exchange(state.clusters[cluster].expires_at, kNever) != kNever) derive_expiry(state);
  const auto first = state.returning.begin() + state.returned;
  state.returning.erase(
      std::remove_if(first, state.returning.end(),
                     [cluster](const Returning& entry) { return entry.cluster == cluster; }),
      state.returning.end());
  if (state.returned == state.returning.size()) stop_returning(state);
}

void stop_returning(State& state) {
  state.returning = {};
  state.returned = 0;
  state.returning_next = kNever;
}

namespace {

/// The cluster has, or may have, something of the group that is not its own.
bool may_use(const Group& group, uint32_t cluster) {
  const size_t m = member_of(group, cluster);
  if (group.quarantined && !group.members[m].heard) return true;
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
  for (uint32_t g : of.groups) {
    if (!is_consumer(state.groups[g], cluster) || !may_use(state.groups[g], cluster)) continue;
    if (state.groups[g].members[member_of(state.groups[g], cluster)].doubted) continue;
    state.returning.push_back({g, cluster, Reason::lease_expired});
    ++groups;
  }
  if (groups == 0) return;
  record_cluster(turn, RecordKind::lease_expired, cluster, Reason::lease_expired).numbers = {
      groups, of.lease_bound_ms, 0, 0, 0, 0};
}

/// Slots that the cluster held of others' go home; of its own exports it holds on.
void return_slots(Turn& turn, uint32_t index, uint32_t cluster, Reason reason) {
  Group& group = turn.group(index);
  if (group.phase == Phase::closed) return;
  const size_t m = member_of(group, cluster);
  // As an order that is not sent: what the cluster states by earlier ones, after a restart of the
  // broker too, is of a member that has missed it.
  group.members[m].seq = ++turn.state.clusters[cluster].seq;
  touch_cluster(turn, cluster);
  group.members[m].heard = true;
  group.members[m].trusted = m != kProvider;
  group.members[m].breach = 0;
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
  if (m != kProvider) cancel_transfers(turn, index, m, reason);
  rows_changed(turn, index);
  watch_breach(turn, index);
  end_quarantine_if_heard(turn, index);
  settle(turn, index, true);
  plan_returns(turn, index);
}

}  // namespace

void expire_leases(Turn& turn) {
  State& state = turn.state;
  if (state.expiry_next > turn.now || state.config.mode == Mode::observe) return;
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    if (state.clusters[c].expires_at <= turn.now) expire_cluster(turn, c);
  }
  derive_expiry(state);
  turn.changed = true;
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
  turn.changed = true;  // also where nothing did: the next ones are told by it
  if (state.returned == state.returning.size()) {
    stop_returning(state);
  } else {
    state.returning_next = turn.now + 1;
  }
}

void forget_cluster(Turn& turn, uint32_t cluster) {
  State& state = turn.state;
  for (uint32_t g : state.clusters[cluster].groups) {
    state.returning.push_back({g, cluster, Reason::operator_order});
  }
  if (state.returning.empty()) return;
  state.returning_next = turn.now;
  return_some(turn);
}

}  // namespace leasehold
