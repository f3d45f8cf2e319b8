// Where slots in transfer of a lease go. Not of a plan, whose dues say (dues.hpp).
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Of what a release has brought, slots on rows that go over: of whole hosts those that came whole.
int32_t slots_over(const State& state, const SlotGroup& group, const Transfer& release);

/// The member that gets slots in transfer of a row; members.size(): they wait. Whose turn it is,
/// else the provider, whose slots they are, else whoever is there. `leftovers`: also where no
/// transfer is open.
size_t destination(const State& state, const SlotGroup& group, uint32_t row, bool leftovers);

}  // namespace leasehold
