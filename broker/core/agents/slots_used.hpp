// Slots that a cluster borrows, by whose work used them, as its agent counts it: a line of history
// for each group and stretch of time. Nothing else changes by it; `usage --by` adds up the events
// (broker/views/clusters/used_by.hpp).
#pragma once

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

void slots_used(Turn& turn, const SlotsUsed& event);

}  // namespace leasehold
