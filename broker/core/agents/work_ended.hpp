// Work that had to end, as its agent tells of it: a line of history each. Nothing else changes by
// it.
#pragma once

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

void work_ended(Turn& turn, const WorkEnded& event);
/// Names the lease in a row of its cluster, if that is a member of the slot group still.
void name_lease(const State& state, uint64_t generation, Record& row);

}  // namespace leasehold
