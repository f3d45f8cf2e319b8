// A plan counted in whole hosts: what exclusive placement makes of it, before the policy's own
// rules apply (broker/rules/plan/README.md, "Which slots"; Symphony, "Hybrid scheduling policy").
// evaluate_plan then says who may have how many hosts. Pure. Not which hosts those are
// (place.hpp), nor how many slots of a host its holder is due.
//
// Contract: hosts of unlike sizes count by their mean. Demand, limits and reserves are rounded up,
// what may be lent or borrowed down. What is owned stays a ratio where the policies scale it;
// where they need it whole it is rounded as quotas are (broker/rules/plan/README.md, "Rounding"),
// by priority.
#pragma once

#include <cstdint>
#include <span>

#include "broker/rules/plan/plan.hpp"

namespace leasehold {

/// An amount: `slots` on `hosts`. Both 0: nothing.
struct HostCount {
  int64_t hosts = 0;
  int64_t slots = 0;
};

Plan in_whole_hosts(const Plan& plan, const HostCount& there);

/// One host that a leaf holds.
struct HeldHost {
  int64_t slots = 0;  // of the host, whatever of it the leaf is due
  bool in_use = false;
};

/// Hosts that serve `slots` of demand: those that work runs on, then others that it holds, then
/// so many of the mean size.
int64_t hosts_wanted(int64_t slots, std::span<const HeldHost> held, const HostCount& there);

}  // namespace leasehold
