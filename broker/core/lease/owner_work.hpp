// Owner work: waiting work of a provider that lacks nothing but slots it has lent under
// demand-aware gets those back as the work on them ends. One job of a provider at a time, and no
// more slots than it lacks. It stands until no such job waits any more, or one has all it lacked
// and does not start. With `provider_first` slots in use are reclaimed instead, by the rule itself.
#pragma once

#include <vector>

#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// One evaluation of the group. Contract: of a lease; its rule was asked before.
void follow_owner_work(Turn& turn, uint32_t group);
/// Called before the rule is asked. A job that has had all it lacked for as long as a grant may lie
/// unused, and has not started, has its slots no longer: such jobs wait, twice as long each time.
void end_owner_trial(Turn& turn, uint32_t group);
/// Called after a member's statement of the group was taken over.
void owner_slots_stated(Turn& turn, uint32_t group);
/// Handles a report of the provider's work: slots that no job of it needs any more are let go at
/// once.
void owner_work_reported(Turn& turn, uint32_t provider);
/// The group goes by that rule no more.
void drop_owner_work(Turn& turn, uint32_t group);
/// Returns the idle slots of the provider, by row of the group, that a waiting job of its own is to
/// have.
std::vector<demand_aware::RowSlots> kept_for_owner(const State& state, const SlotGroup& group);

/// All that is lent in one of these leases. `elsewhere` is its caller's.
OwnerRows owner_rows(const State& state, const std::vector<uint32_t>& groups);

}  // namespace leasehold
