// Owner hosts: a wide job of a provider that starves although the plan gives its leaf the slots for
// it, because those lie idle on hosts where they do not start it. It gets those that it lacks of
// its own hosts, as the work of others on them ends, and gives others as many that it leaves idle
// (broker/rules/plan/moves/exchange.hpp). Which job it is, and what it lacks:
// model/queries/owner_jobs.hpp.
//
// Contract: how many slots each leaf is due is as the plan decided it. Nothing is remembered but
// the dues: once they are exchanged the job lacks nothing.
#pragma once

#include "broker/core/model/turn/turn.hpp"
#include "broker/core/plan/snapshot.hpp"

namespace leasehold {

/// Call when the plan's moves were carried out, and before returns are planned.
void give_owners_hosts(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot);

}  // namespace leasehold
