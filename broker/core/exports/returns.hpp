// Returns: what consumers hold above what they may goes back to the provider, and from there leaves
// the group (ledger/exported.hpp). Of a plan's members what they are due decides (ledger/dues.hpp).
#pragma once

#include "broker/core/ledger/dues.hpp"

namespace leasehold {

/// Starts shrinks for what the consumer holds above its cap; closes the group once it is empty.
/// `looked`: of a plan, at which of its members.
void plan_returns(Turn& turn, uint32_t group, Looked looked = Looked::at_all);

/// After an operator gave slots back their use: drops shrinks from the consumer, plans anew.
void replan_returns(Turn& turn, uint32_t group);

}  // namespace leasehold
