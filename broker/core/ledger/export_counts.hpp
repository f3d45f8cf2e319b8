// Exports: how many slots of each host a group has. Here `exported` falls only by slots that the
// provider holds or nobody. In quarantine agents/stated_exports.hpp may also take slots in transfer
// or held by other members, if the provider states that it exports fewer. A new export waits until
// the old one has let its slots go (schema/wire/PROTOCOL.md, "A new group"). Not how many there are
// to be: exports/reconcile.hpp sets that. Not how members give slots back: exports/returns.hpp.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Exports what is free on the provider's hosts, in the order in which the groups were created.
void raise_exports(Turn& turn, uint32_t provider);

/// Lets slots above the target leave the group: a plan's unallocated ones, then the provider's.
/// Groups that wait for such slots get them once all have converged. Contract: not in quarantine.
void drop_surplus_exports(Turn& turn, uint32_t group);

/// A draining group of which nothing is exported or on its way any more is over.
void close_if_empty(Turn& turn, uint32_t group);

}  // namespace leasehold
