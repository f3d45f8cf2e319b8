// Restart: what a start of the broker forgets everywhere. One function, so that a start, a replay
// and whoever follows the log forget the same: images do not say it
// (broker/record/images/images.hpp).
#pragma once

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold {

/// True if the start keeps what its predecessor knew of agents (rule 15 of
/// broker/store/postgres/README.md). A start on an older copy of the database never is warm,
/// whatever the event's `warm` says.
inline bool is_warm(const BrokerStarted& event) {
  return event.warm && !event.database_older;
}

/// Resets the members marked `reset at start` of every cluster and of every slot group that is not
/// closed, and begins the groups' quarantine. Not `started` and `incarnation`, which the event has,
/// nor Member::order_index. `warm`: a group that is not in quarantine stays out of it (rule 15 of
/// broker/store/postgres/README.md) and keeps what its members were ordered, stated and used; its
/// members are as silent ones are.
void forget_process(State& state, bool warm);

}  // namespace leasehold
