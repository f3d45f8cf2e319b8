// Work that had to end, as its agent tells of it: a line of history each. Nothing else changes by
// it.
#pragma once

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

void work_ended(Turn& turn, const WorkEnded& event);

}  // namespace leasehold
