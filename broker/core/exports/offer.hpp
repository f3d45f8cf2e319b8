// Offer: a consumer's first slots. A shared lease offers `initial_slots` on the first hosts that
// both sides call up, and under demand-aware more for work that they do not start
// (lease/by_demand.hpp); an exclusive one gives all that is due. All by ordinary transfers that
// shrink the provider as its jobs end: never a reclaim (schema/wire/PROTOCOL.md, "A new group").
#pragma once

#include "broker/core/model/queries/lease_asked.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Starts the transfers that a lease's offer still needs; does nothing where no offer is open or
/// possible. Of a plan hand_out_unallocated() grants slots at once, without a transfer.
void offer(Turn& turn, uint32_t group);

/// Offers these slots, by row, because work of the consumer waits that they make start. Contract:
/// a lease that is not made yet; each row movable(), and in no open transfer.
void offer_for_work(Turn& turn, uint32_t group, Wanted wanted);

/// Returns the slots of a row that the provider could give and the consumer take, beyond all that
/// it is due or may become due. Slots in transfer count, whoever is due them: else a slot that the
/// consumer refuses would be offered again at once, for ever.
int32_t movable(const State& state, const SlotGroup& group, uint32_t row, const LeaseAsked& asked);

/// True if the consumer of an exclusive lease holds less than it is due on some host.
bool has_shortfall(const State& state, const SlotGroup& group);

/// Returns the slots of that shortfall that could move now: where both sides call the host up,
/// beyond those that are on their way.
int32_t movable_shortfall(const State& state, const SlotGroup& group);

/// True if the provider's agent can fence what the policy exports besides slots.
bool can_fence(const State& state, const SlotGroup& group);

}  // namespace leasehold
