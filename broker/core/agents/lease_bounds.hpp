// Lease bounds: how long a disconnected cluster may go by its leases (schema/wire/PROTOCOL.md,
// "Lost contact"). Cluster::lease_bound_ms is the longest ttl + grace that it was ever sent and has
// not since stated to be replaced, so that a reload never makes a lease end here before it ends
// there. 0 means without end: so it is until the agent states that its workload manager enforces
// the end. expiry.hpp handles the end of that time.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Returns the most that two clocks may differ by after that time: 1 %, at least 1 s.
int64_t clock_margin_ms(int64_t duration_ms);
/// Returns the time after the last answer at which a lost cluster's slots return; 0: never.
int64_t returns_after_ms(const State& state, const Cluster& cluster);
/// Returns the ttl that this cluster is sent now; 0: its leases do not end by themselves.
int64_t configured_ttl_ms(const State& state, const Cluster& cluster);

/// A configuration leaves for the cluster: from now on it may go by that.
void lease_sent(Turn& turn, uint32_t cluster);
/// Its agent states what it and its workload manager go by (wire::Report::lease_ms), under the last
/// configuration.
void lease_stated(Turn& turn, uint32_t cluster, int64_t lease_ms);
/// Returns Cluster::lease_bound_ms after that statement.
int64_t bound_stated(const Cluster& cluster, int64_t lease_ms);
/// The cluster is lost: its time runs from `renewed_at`, or from the broker's start.
void count_down(Turn& turn, uint32_t cluster, Instant renewed_at);
/// An alarm where lease_ttl is set and the leases of a lost cluster do not end all the same.
void warn_of_endless(Turn& turn, uint32_t cluster);
/// It said hello: its expiry is cancelled, and so is what was yet to return of it.
void lease_renewed(Turn& turn, uint32_t cluster);
/// Resets the bounds at a start, before any agent greets: the database is an older one, so the
/// configurations that clusters were sent since are unknown.
void distrust_bounds(Turn& turn);

void stop_returning(State& state);

/// True if the group has the cluster as a member beside its provider. Contract: it is a member.
bool is_consumer(const SlotGroup& group, uint32_t cluster);

}  // namespace leasehold
