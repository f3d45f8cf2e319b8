// ClockSet: history goes on at an earlier instant than its last one. A start under a clock that was
// years ahead leaves instants that no right clock will reach; they are pulled back to now, so that
// evaluations, anti-flap and ages count from here. Not here: whether it may be done
// (broker/daemon/start/start_clock.hpp). A start of the broker follows, which resets
// all members marked `reset at start`.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

void set_clock(Turn& turn);

}  // namespace leasehold
