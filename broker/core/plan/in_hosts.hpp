// Exclusive placement: a host has one holder at a time, so a plan is evaluated in whole hosts and
// carried out in slots (broker/rules/plan/README.md, "Which slots"). Here a snapshot is counted in
// hosts, and what came of it in slots again. Not what a plan in hosts says:
// broker/rules/plan/hosts/whole_hosts.hpp and evaluate_plan.
//
// Contract: where a limit is full in slots no further host is claimed below it. Whoever gets a host
// is due of it what it wants and has not got within all limits; the rest of the host is blocked for
// others and its holder's when it wants more. Whoever loses a host loses all that it is due there.
#pragma once

#include "broker/core/plan/snapshot.hpp"

namespace leasehold {

void count_in_hosts(PlanSnapshot& snapshot);

/// Does nothing where the snapshot counts slots. `answer` and `placed` are of the snapshot.
void count_in_slots(PlanSnapshot& snapshot, PlanAnswer& answer, PlacedMoves& placed);

/// The consumer is due nothing of that host any more. Contract: it was.
void leave_host(PlanInSlots& slots, uint32_t consumer, size_t host);

}  // namespace leasehold
