// The history of a plan's evaluations: numbers and reason of each consumer when they change, the
// memory of anti-flap, an alarm when slots go to and fro.
#pragma once

#include "broker/core/model/turn/turn.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/rules/plan/moves/damping.hpp"

namespace leasehold {

/// After the dues changed. A consumer is recorded when anything but its demand differs from what
/// was recorded last.
void record_consumers(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot,
                      const PlanAnswer& answer, const DampedMoves& damped,
                      const PlacedMoves& placed);

/// Observe mode: what would have been moved, for each consumer that would gain or lose, when that
/// changes.
void record_observed(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot,
                     const PlanAnswer& answer, const DampedMoves& damped);

void record_plan_changed(Turn& turn, uint32_t resource_group);

/// Notes for the plan's anti-flap that a consumer gained slots. Consumers here are positions in
/// ResourceGroupLedger::consumers.
void note_gain(Turn& turn, uint32_t resource_group, uint32_t consumer);
/// Notes that slots were reclaimed from one consumer for another: how often such go to and fro, and
/// how long the loser waits before it gets any again.
void note_reclaim(Turn& turn, uint32_t resource_group, const Plan& of, uint32_t from, uint32_t to);

}  // namespace leasehold
