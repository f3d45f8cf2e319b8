// Expiry: leases that end by themselves (schema/wire/PROTOCOL.md, "Lost contact"). Off unless
// `lease_ttl` is set, and then only for clusters whose adapter closes leased slots without its
// agent (self_expiring). A silent cluster's slots stay where they are until
//
//   the last answer to it, or the broker's own start + what it may go by + leeway + clock margin
//
// have passed; then what it held as a consumer goes back. What it may go by: lease_bounds.hpp.
// Also here: an operator's `forget`, which returns slots in the same way.
#pragma once

#include "broker/core/model/turn.hpp"

namespace leasehold {

/// Groups whose slots return in one step: 100,000 leases may end at once, and reports must flow
/// meanwhile.
inline constexpr uint32_t kReturnsPerStep = 256;

/// Leases whose time is over begin to return.
void expire_leases(Turn& turn);
/// The next ones of those that return.
void return_some(Turn& turn);

/// An operator's word that a silent cluster uses none of its leased slots.
void forget_cluster(Turn& turn, uint32_t cluster);

}  // namespace leasehold
