// Horizons: a horizon is a reservation in the owner's workload manager that begins later on a host.
// As soon as the longest work of a borrower would not end before the reservation begins, the host
// is closed to the borrower, and what it holds there goes home as its work ends. What still runs is
// asked to end in time where it may be reclaimed (ended_from() in model/queries/horizons.hpp); else
// it stays when the reservation begins. Before the end of a policy's window its hosts are closed
// likewise to a borrower whose work has limits; what runs stays as it does after the end.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Brings Host::barred, Host::ending_from and Member::window_ends in line with inventories,
/// windows, limits and the time, for all providers, and the groups with them.
void follow_horizons(Turn& turn);
/// Does the same for the providers and groups of this borrower, whose work has another longest
/// limit now.
void follow_horizons_of_borrower(Turn& turn, uint32_t cluster);

}  // namespace leasehold
