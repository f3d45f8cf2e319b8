// Victims: which running work ends when slots are reclaimed (agent/core/README.md, "Which work
// ends"; Symphony, "Resource reclaim"). Pure. When it ends is reclaim.hpp's; preemption inside a
// consumer is preemption/preemption.hpp's.
//
// For each slot that is still wanted, of work that can be queued again, and of other work only
// where there is no more of it:
//   1. Hosts: selective reclaim off: one host, and the next only when that has no more to give; on:
//      all of them.
//   2. Importance: rank, or priority with that policy; the least important remain. With the
//      priority policy only the most recently started session of these. A host that must be given
//      whole counts with its most important session, and all its work ends.
//   3. Criteria. most-recent-task: the least run time; several units on the same slots: theirs
//      together. policy-default: work of the most over-allocated session, or of the least
//      under-allocated when none is over; with the priority policy 2 has said it already.
//   4. What is left of "at random": host name, newest start, id; or by random_seed (TieOrder).
// Units that were interrupted before come first. A unit that turns out superfluous, because a
// larger one had to be chosen after it, is left alone. Units are not divisible: more may come free
// than asked.
//
// Outside (broker/rules/plan/README.md, "Not defined"): standby services, whose needs would be met
// before selective reclaim, and consumer-level exclusive allocation with multidimensional
// scheduling, which would turn it off.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "agent/core/reclaim/victims_bundle.hpp"

namespace leasehold::agent {

struct HostNeed {
  std::string host;
  int32_t slots = 0;  // at most so many of those that come free there count
  bool operator==(const HostNeed&) const = default;
};

struct VictimRequest {
  std::vector<HostNeed> hosts = {};             // each once; that meet the claimant's requirement
  int64_t slots = 0;                            // wanted in all
  bool whole_hosts = false;                     // the claimant needs hosts for itself
  std::vector<std::string> under_reclaim = {};  // ids of units that were interrupted already
  std::vector<std::string> ends = {};  // ids of running units that end anyhow: not for this
};

/// Chooses from the same work for several requests, for each by itself. The arguments outlive it.
class VictimChooser {
 public:
  /// Contract: `deserved` is set in `sessions`; `now` is by the clock of WorkUnit::started.
  VictimChooser(std::span<const WorkUnit> units, const WorkSessions& sessions,
                const SchedulingSettings& settings, Instant now);
  /// Returns positions of units, in the order in which they were chosen. Fewer slots than asked
  /// for: there is no more work on these hosts.
  std::vector<size_t> choose(const VictimRequest& request) const;
  /// Returns the slots of each host that come free when these units end; a shared slot comes free
  /// when all units on it end.
  std::map<std::string, int64_t> freed_by(const std::vector<size_t>& units) const;

 private:
  const WorkSessions& sessions_;
  const SchedulingSettings& settings_;
  BundleIndex index_;
};

}  // namespace leasehold::agent
