// Divisions: what consumers say of dividing the hosts of others (wire::HostState::division). It is
// kept with the provider's host, because a cluster says the same of it in every lease. What the
// provider says stands in its inventory.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// True if the statement is another one than what is kept of the host. Contract: the row is the
/// group's.
bool says_other_division(const State& state, const SlotGroup& group, size_t member,
                         const wire::HostState& host);

/// Keeps what the cluster says, and brings the groups in line that have such a host.
void take_divisions(Turn& turn, uint32_t cluster, const wire::StateBlock& block);

}  // namespace leasehold
