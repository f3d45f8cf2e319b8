// Plan, unneeded slots: what a leaf under the ownership policy holds, but neither uses nor wants.
// EGO's consumers hand back what they do not use; clusters do not, and to the plan all that a leaf
// holds is in use (broker/rules/plan/README.md, "What goes in"). So where somebody gets more for
// it, those slots count as idle: the leaf gives up what it borrowed first, then shared slots, then
// its own, which are then lent like any idle ones and reclaimed when it wants them again. Not for
// the other policies: their quotas follow demand.
//
// Contract: nothing that is used or wanted is touched; nothing of a leaf that gained slots less
// than the plan's minimum hold time ago, or takes no part; nothing at all where nobody gains.
#pragma once

#include "broker/core/model/turn/turn.hpp"
#include "broker/core/plan/snapshot.hpp"

namespace leasehold {

/// Returns what a leaf keeps when another is short: under ownership no more than it uses and wants.
int64_t lean_slots(const PlanSnapshot& snapshot, uint32_t consumer);

/// Takes them off what leaves are due, and out of `snapshot`; `answer` becomes the answer to that.
void give_up_unneeded(Turn& turn, uint32_t resource_group, PlanSnapshot& snapshot,
                      PlanAnswer& answer);

}  // namespace leasehold
