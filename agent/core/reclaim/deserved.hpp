// Deserved: how many slots each session deserves, against which it is over- or under-allocated
// (agent/core/README.md, "What a session deserves"). Exact integers; nobody deserves more than it
// has and wants.
//   proportional      the slots Filled in proportion to priority, caps demand
//   minimum-services  min_slots first, then so
//   priority          all it can use, highest priority first, older sessions first
// What cannot be divided goes, as in broker/rules/plan/README.md, "Rounding", one slot each to
// those whose share was not whole; its "rank, then declaration order" is here: higher priority,
// older session, key.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "agent/core/limits/view.hpp"
#include "agent/core/reclaim/work_session.hpp"

namespace leasehold::agent {

/// Sets `deserved` of each. `slots`: that the cluster may use, in all; those that are to be given
/// back do not count among them.
void give_deserved(std::span<WorkSession> sessions, SchedulingPolicy policy, int64_t slots);

/// Slots that the cluster may use by what is enforced: those to be given back do not count.
int64_t usable_slots(const View& view);

/// Slots of each host on which work may start, of all that are known and all that these units use.
/// 0: nothing starts there, for it is down or no fence of another's host stands open.
std::map<std::string, int64_t> usable_by_host(const View& view, std::span<const WorkUnit> units);

}  // namespace leasehold::agent
