#include "broker/core/agents/lease_bounds.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "common/canary.hpp"

namespace leasehold {

bool is_consumer(const SlotGroup& group, uint32_t cluster) {
  return group.members[kProvider].cluster != cluster;
}

int64_t clock_margin_ms(int64_t duration_ms) {
  constexpr int64_t kLeastMs = 1000;
  return std::max(kLeastMs, (duration_ms + 99) / 100);
}

int64_t returns_after_ms(const State& state, const Cluster& cluster) {
  if (cluster.lease_bound_ms == 0) return 0;
  const int64_t allowed = cluster.lease_bound_ms + state.config.leeway_ms;
  return allowed + clock_margin_ms(allowed);
}

int64_t configured_ttl_ms(const State& state, const Cluster& cluster) {
  const bool ends = cluster.self_expiring && state.config.mode == Mode::lease;
  return ends ? state.config.lease_ttl_ms : 0;
}

namespace {

int64_t longest_grace(const State& state, uint32_t cluster) {
  int64_t longest = 0;
  for (uint32_t g : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (!is_consumer(group, cluster)) continue;
    longest = std::max(longest, reclaim_grace(state, group).most_ms);
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

void lease_sent(Turn& turn, uint32_t cluster) {
  Cluster& of = turn.state.clusters[cluster];
  if (of.contact != Contact::ok) return;  // a lost one is sent nothing
  const int64_t ttl = configured_ttl_ms(turn.state, of);
  of.configured_lease_ms = ttl == 0 ? 0 : ttl + longest_grace(turn.state, cluster);
  // For ever it stays until the agent states otherwise.
  if (of.lease_bound_ms == 0) return;
  set_bound(turn, cluster, ttl == 0 ? 0 : std::max(of.lease_bound_ms, of.configured_lease_ms));
}

int64_t bound_stated(const Cluster& cluster, int64_t lease_ms) {
  const bool ends = lease_ms > 0 && cluster.configured_lease_ms > 0;
  return ends ? std::max(lease_ms, cluster.configured_lease_ms) : 0;
}

void lease_stated(Turn& turn, uint32_t cluster, int64_t lease_ms) {
  set_bound(turn, cluster, bound_stated(turn.state.clusters[cluster], lease_ms));
}

void distrust_bounds(Turn& turn) {
  for (uint32_t c = 0; c < turn.state.clusters.size(); ++c) {
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
    for (const uint32_t g : of.slot_groups) {
      renewed_at = std::max(renewed_at, state.slot_groups[g].since);
    }
  }
  of.expires_at = after > 0 ? std::max(renewed_at, state.started) + after : kNever;
  state.expiry_next = std::min(state.expiry_next, of.expires_at);
}

void warn_of_endless(Turn& turn, uint32_t cluster) {
  const State& state = turn.state;
  const Cluster& of = state.clusters[cluster];
  const bool meant = state.config.lease_ttl_ms > 0 && state.config.mode == Mode::lease;
  if (!meant || of.expires_at != kNever) return;
  const bool leases = std::any_of(of.slot_groups.begin(), of.slot_groups.end(), [&](uint32_t g) {
    return is_consumer(state.slot_groups[g], cluster);
  });
  if (leases) record_cluster(turn, RecordKind::alarm, cluster, Reason::not_self_expiring);
}

void lease_renewed(Turn& turn, uint32_t cluster) {
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

}  // namespace leasehold
