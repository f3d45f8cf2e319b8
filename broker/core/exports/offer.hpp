// Offer: a consumer's first slots. A shared lease offers `initial_slots` on the first hosts that
// both sides call up; an exclusive one gives all that is due. Both by ordinary transfers that
// shrink the provider as its jobs end: never a reclaim (schema/wire/PROTOCOL.md, "A new group").
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Starts the transfers that a lease's offer still needs; does nothing where no offer is open or
/// possible. Of a plan hand_out_unallocated() grants slots at once, without a transfer.
void offer(Turn& turn, uint32_t group);

/// True if the consumer of an exclusive lease holds less than it is due on some host.
bool has_shortfall(const State& state, const SlotGroup& group);

/// Returns the slots of that shortfall that could move now: where both sides call the host up,
/// beyond those that are on their way.
int32_t movable_shortfall(const State& state, const SlotGroup& group);

/// True if the provider's agent can fence what the policy exports besides slots.
bool can_fence(const State& state, const SlotGroup& group);

}  // namespace leasehold
