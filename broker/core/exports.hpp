// Exports: how many slots of each host a group has, and what must go back. `exported` falls only
// by slots that the provider holds or nobody; a new export waits until the old one has let its
// slots go (schema/wire/PROTOCOL.md, "A new group").
#pragma once

#include "broker/core/turn.hpp"

namespace leasehold {

/// Brings all groups in line with what is due: creates, drains, sets targets, exports what is free.
void reconcile(Turn& turn);

/// Lets slots above the target leave the group: a plan's unallocated ones, then the provider's.
/// Contract: not in quarantine.
void shed_exports(Turn& turn, uint32_t group);

/// Starts shrinks for what the consumer holds above its cap; closes the group once it is empty.
void plan_returns(Turn& turn, uint32_t group);

/// After an operator gave slots back their use: drops shrinks from the consumer, plans anew.
void replan_returns(Turn& turn, uint32_t group);

}  // namespace leasehold
