// Horizons: when a reservation that begins later (a horizon) closes a host to whom. Pure questions;
// exports/horizons.hpp acts on them.
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// From then on the borrower starts nothing on the host: what it starts sooner has ended when the
/// reservation begins. Work without a limit is never begun there. If the borrower's agent does not
/// tell its work's limits, that is when the reservation begins; what is closed already stays
/// closed. kNever: no reservation is ahead.
Instant barred_from(const Host& host, const Cluster& borrower, uint32_t index);
/// True if the host is closed to the borrower for a reservation ahead.
bool is_barred(const Host& host, uint32_t borrower);
/// True if any host of the cluster has a reservation ahead, or is closed to somebody for one.
bool any_horizon(const Cluster& provider);
/// Returns the next instant from which somebody is barred from a host.
Instant next_horizon(const State& state);
/// Calls `see(host, borrower)` for each host of the provider that its groups have, and each member
/// of those that is another cluster; a pair perhaps more than once.
template <class See>
void each_borrower(const State& state, uint32_t provider, const See& see) {
  for (const uint32_t g : state.clusters[provider].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.members[kProvider].cluster != provider || group.phase == Phase::closed) continue;
    for (const HostLedger& row : group.hosts) {
      for (const Member& member : group.members) {
        if (member.cluster != provider) see(row.host, member.cluster);
      }
    }
  }
}

}  // namespace leasehold
