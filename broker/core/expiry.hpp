// Expiry: leases that end by themselves (schema/wire/PROTOCOL.md, "Lost contact"). Off unless
// `lease_ttl` is set, and then only for clusters whose adapter closes leased slots without its
// agent (self_expiring). A silent cluster's slots stay where they are until
//
//   the last answer to it, or the broker's own start + what it may go by + leeway + clock margin
//
// have passed; then what it held as a consumer goes back. What it may go by is Cluster::
// lease_bound_ms: the longest ttl + grace that it was ever sent and has not since stated to be
// replaced, so that a reload never makes a lease end here before it ends there. 0, for ever, until
// the agent states that its workload manager goes by it.
// Also here: an operator's `forget`, which returns slots in the same way.
#pragma once

#include "broker/core/turn.hpp"

namespace leasehold {

/// Groups whose slots return in one step: 100,000 leases may end at once, and reports must flow
/// meanwhile.
inline constexpr uint32_t kReturnsPerStep = 256;

/// What two clocks may differ by after so long: 1 %, at least 1 s.
int64_t clock_margin_ms(int64_t duration_ms);
/// How long after the last answer the slots of a lost cluster return; 0: never.
int64_t returns_after_ms(const State& state, const Cluster& cluster);
/// The ttl that this cluster is told now; 0: its leases do not end by themselves.
int64_t ttl_told_ms(const State& state, const Cluster& cluster);

/// A configuration leaves for the cluster: from now on it may go by that.
void lease_told(Turn& turn, uint32_t cluster);
/// Its agent states what it and its workload manager go by (wire::Report::lease_ms), under the last
/// configuration.
void lease_stated(Turn& turn, uint32_t cluster, int64_t lease_ms);
/// Cluster::lease_bound_ms after that.
int64_t bound_stated(const Cluster& cluster, int64_t lease_ms);
/// The cluster is lost: its time runs from `renewed_at`, or from the broker's start.
void count_down(Turn& turn, uint32_t cluster, Instant renewed_at);
/// An alarm where lease_ttl is set and the leases of a lost cluster do not end all the same.
void warn_of_endless(Turn& turn, uint32_t cluster);
/// It said hello: nothing of it returns any more but by its own statements.
void lease_heard(Turn& turn, uint32_t cluster);
/// The database is an older one: what clusters were told since is not known.
void distrust_bounds(Turn& turn);

/// Leases whose time is over begin to return.
void expire_leases(Turn& turn);
/// The next ones of those that return.
void return_some(Turn& turn);
void stop_returning(State& state);

/// An operator's word that a silent cluster uses none of its leased slots.
void forget_cluster(Turn& turn, uint32_t cluster);

}  // namespace leasehold
