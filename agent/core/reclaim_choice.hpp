// ReclaimChoice: the victims of all reclaims that an agent has open, host by host (victims.hpp).
// The orders say how many slots each host gives back; which slot it is does not matter, "the system
// does not always return the same resource" (seed 000). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/core/reclaim.hpp"
#include "agent/core/victims.hpp"

namespace leasehold::agent {

/// Slots in use on a host above what the open reclaims leave there.
struct HostReclaim {
  std::string host;
  int32_t slots = 0;
  int64_t grace_ms = 0;     // of the order: the borrower's, or the closest common ancestor's
  bool whole_host = false;  // the claimant needs it for itself
};

/// `told`: ReclaimTimeline::told() of these units; they come first. A unit that serves several
/// hosts stands once, with the longest grace. Contract as choose_victims; each host once.
std::vector<ReclaimVictim> choose_for(std::span<const HostReclaim> needs,
                                      std::span<const WorkUnit> units, const WorkSessions& sessions,
                                      const SchedulingSettings& settings,
                                      std::vector<std::string> told, Instant now);

}  // namespace leasehold::agent
