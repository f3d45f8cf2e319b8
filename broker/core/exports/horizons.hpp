// Horizons: a horizon is a reservation in the owner's workload manager that begins later on a host.
// As soon as the longest work of a borrower would not end before the reservation begins, the host
// is closed to the borrower, and what it holds there goes home as its work ends. What still runs
// when the reservation begins stays; work is not ended for it.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Brings Host::barred in line with inventories, limits and the time, for all providers, and the
/// groups with it.
void follow_horizons(Turn& turn);
/// Does the same for the providers of this borrower, whose work has another longest limit now.
void follow_horizons_of_borrower(Turn& turn, uint32_t cluster);

}  // namespace leasehold
