// ReclaimChoice: what the reclaims that an agent has open still need, and the victims of them all
// (victims.hpp). A host with a limit of its own needs what is used above it; a set of hosts needs a
// number from whichever of them (sets.hpp). Which slot of a host comes back does not
// matter, "the system does not always return the same resource" (Symphony, "Resource reclaim").
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/core/reclaim/reclaim.hpp"
#include "agent/core/reclaim/sets.hpp"
#include "agent/core/reclaim/victims.hpp"

namespace leasehold::agent {

/// Slots in use on a host above what the open reclaims leave there.
struct HostReclaim {
  std::string host;
  int32_t slots = 0;
  int64_t grace_ms = 0;     // of the order: the borrower's, or the closest common ancestor's
  bool whole_host = false;  // the claimant needs it for itself
};

/// Slots in use on several hosts together above what a set leaves there.
struct SetReclaim {
  std::vector<HostNeed> hosts;  // with what may come of each
  int64_t slots = 0;
  int64_t grace_ms = 0;
};

struct ReclaimNeeds {
  std::vector<HostReclaim> hosts;  // each once
  std::vector<SetReclaim> sets;
  bool empty() const { return hosts.empty() && sets.empty(); }
};

/// Computes what is needed from one look; `use` is the use of each group in it. Idle slots come
/// back without ending any work, so they are not counted.
ReclaimNeeds open_reclaims(const Book& book, const std::vector<GroupUse>& use,
                           const ReclaimSets& sets);

/// True if less work runs on a host that gives back than the look found in use there: some has
/// ended since, and the caller must compute the needs from a new look.
bool ended_since(const ReclaimNeeds& needs, const View& view, std::span<const WorkUnit> units);

/// Chooses the victims of all needs. `under_reclaim`, from ReclaimTimeline::under_reclaim(), are
/// the units that are under a reclaim already; they come first. A unit that serves several hosts is
/// listed once, with the longest grace. Contract as VictimChooser.
std::vector<ReclaimVictim> choose_for(const ReclaimNeeds& needs, std::span<const WorkUnit> units,
                                      const WorkSessions& sessions,
                                      const SchedulingSettings& settings,
                                      const std::vector<std::string>& under_reclaim, Instant now);

/// Chooses hosts for the sets of whole hosts in force, so that the sums are reached: idle hosts
/// first, then those whose most important session is the least important. It never gives up more
/// than a sum asks for.
std::vector<ChosenHost> whole_hosts_for(const Book& book, const std::vector<GroupUse>& use,
                                        const ReclaimSets& sets, std::span<const WorkUnit> units,
                                        const WorkSessions& sessions,
                                        const SchedulingSettings& settings,
                                        const std::vector<std::string>& under_reclaim, Instant now);

}  // namespace leasehold::agent
