// Horizons: when a reservation that begins later (a horizon), or the end of a policy's window,
// closes a host to whom, and whose work there is to end. Pure questions; exports/horizons.hpp acts
// on them.
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// From then on the borrower starts nothing on the host: what it starts sooner has ended when the
/// reservation begins. Work without a limit is never begun there. If the borrower's agent does not
/// tell its work's limits, that is when the reservation begins; what is closed already stays
/// closed. kNever: no reservation is ahead.
Instant barred_from(const Host& host, const Cluster& borrower, uint32_t index);
/// Work of the member that is still there is asked to end from then on: so long before the
/// reservation begins that its grace and the leeway are over by then. Nothing more starts there
/// either. kNever: its work may not be ended for a reservation, or none is ahead.
Instant ended_from(const State& state, const SlotGroup& group, size_t member, uint32_t row);
/// True if the host is closed to the borrower for a reservation ahead.
bool is_barred(const Host& host, uint32_t borrower);
/// True if any host of the cluster has a reservation ahead, or is closed to somebody for one.
bool any_horizon(const Cluster& provider);
/// Returns the windows that have opened last, by policy; to kNever: no end is known.
std::vector<Interval> last_windows(const State& state);
/// From then on the member starts nothing in the group of this window: what it starts sooner has
/// ended by the window's end. If its agent tells no limits, what is closed already stays closed.
/// kNever: nothing is closed before, as where its work has no limit, or one as long as the window,
/// which would close it from its begin on.
Instant closed_before(const State& state, const SlotGroup& group, size_t member,
                      const Interval& window);
/// Returns the next instant from which somebody is barred from a host, or asked to end work there,
/// or starts nothing before a window's end.
Instant next_horizon(const State& state);
/// Calls `see(group, member, row)` for each row of the provider's groups, and each member of those
/// that is another cluster.
template <class See>
void each_borrower(const State& state, uint32_t provider, const See& see) {
  for (const uint32_t g : state.clusters[provider].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.members[kProvider].cluster != provider || group.phase == Phase::closed) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      for (size_t m = 0; m < group.members.size(); ++m) {
        if (group.members[m].cluster != provider) see(group, m, row);
      }
    }
  }
}

}  // namespace leasehold
