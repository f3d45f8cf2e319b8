// Plan grants: slots that a plan gave a leaf for waiting work whose shape its agent tells, until it
// is seen that they are used. What is not used in time goes back, and that shape is no demand for a
// while, for twice as long each time: as under demand-aware, whose memory and clock they have
// (broker/rules/demand_aware/grants.hpp). Not which slots come: leaf_demand.hpp says that.
//
// Contract: reserves stay; nothing that is used, nor within the plan's minimum hold time; leaves
// whose agents tell no shapes have no grants.
#pragma once

#include <vector>

#include "broker/core/model/turn/turn.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/rules/plan/moves/damping.hpp"

namespace leasehold {

/// Ends the grants whose time is over: the leaf is no longer due what it left unused. Returns the
/// leaves that lost some, by position in ResourceGroupLedger::consumers. Does nothing in observe
/// mode.
std::vector<uint32_t> end_plan_grants(Turn& turn, uint32_t resource_group);

/// Leaves that are stuck are no longer due what they have idle, but for reserves and for grants
/// whose time is not over. True: some lost slots, and may be given others. Does nothing in observe
/// mode.
bool give_up_idle(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot);

/// Remembers what the evaluation gave leaves for their work.
void note_plan_grants(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot,
                      const DampedMoves& damped, const PlacedMoves& placed);

/// Called after the member's statement of the group was taken over.
void note_plan_use(Turn& turn, uint32_t group, size_t member);

/// The plan is looked at again when the next grant or back-off ends.
void react_to_grants(State& state, uint32_t resource_group);
/// True if one ended since that instant, until now.
bool plan_grants_end(const State& state, uint32_t resource_group, Instant since);

}  // namespace leasehold
