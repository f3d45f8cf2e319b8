// Expiry: leases that end by themselves (schema/wire/PROTOCOL.md, "Lost contact"). Off unless
// `lease_ttl` is set, and then only for clusters whose adapter closes leased slots without its
// agent (self_expiring). A silent cluster's slots stay where they are until
//
//   max(last answer to it, broker's start) + lease bound + leeway + clock margin
//
// (lease_bounds.hpp); then what it held as a consumer goes back. An operator's `forget` returns
// slots in the same way. Which groups are yet to return is not kept: of a `forget` of more than
// kReturnsPerStep groups a restart loses the rest, which are in quarantine then.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Groups whose slots return in one step: 100,000 leases may end at once, and reports must flow
/// meanwhile.
inline constexpr uint32_t kReturnsPerStep = 256;

/// Leases whose time is over begin to return.
void expire_leases(Turn& turn);
/// Takes the next ones of those that return.
void return_some(Turn& turn);

/// An operator's word that a silent cluster uses none of its leased slots.
void forget_cluster(Turn& turn, uint32_t cluster);

}  // namespace leasehold
