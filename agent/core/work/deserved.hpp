// Deserved: how many slots each session deserves, against which it is over- or under-allocated
// (agent/core/README.md, "What a session deserves"). Exact integers; no session deserves more slots
// than it uses and waits for.
//   proportional      the slots in proportion to priority, to each at most its demand
//   minimum-services  min_slots first, then likewise
//   priority          all it can use, highest priority first, older sessions first
// Slots left over go one each to sessions whose share was not whole: higher priority first, then
// the older session, then by key (as in broker/rules/plan/README.md, "Rounding").
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "agent/core/limits/view.hpp"
#include "agent/core/work/work_session.hpp"

namespace leasehold::agent {

/// Sets `deserved` of each. `slots` are all that the cluster may use, without those that are to be
/// given back.
void give_deserved(std::span<WorkSession> sessions, SchedulingPolicy policy, int64_t slots);

/// Returns the slots that the cluster may use by the caps in force, which leave out those that are
/// to be given back, on hosts that are up.
int64_t usable_slots(const View& view);

/// Returns for each host that is known, or that these units use, the slots that work may use. 0:
/// nothing starts there, because the host is down, or is another cluster's and its cap is closed.
std::map<std::string, int64_t> usable_by_host(const View& view, std::span<const WorkUnit> units);

}  // namespace leasehold::agent
