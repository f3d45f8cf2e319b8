// Restart: what a start of the broker forgets everywhere. One function, so that a start, a replay
// and whoever follows the log forget the same: images do not say it (broker/record/images.hpp).
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Resets the members marked volatile of every cluster and of every slot group that is not closed,
/// and begins the groups' quarantine. Not `started` and `incarnation`, which the event has.
void forget_process(State& state);

}  // namespace leasehold
