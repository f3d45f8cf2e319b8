// SlurmOthers knows the nodes that stand for hosts of other clusters, resumes them when their fence
// is in force, and leaves them when the agent goes. fences.hpp makes their fences.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/workload/slurm/fence/fences.hpp"
#include "agent/workload/support/host_owners.hpp"
#include "agent/workload/support/unknown_words.hpp"

namespace leasehold::agent {

class SlurmOthers {
 public:
  SlurmOthers(const SlurmClient& client, SlurmFence mode, HostOwners owners)
      : client_(client), mode_(mode), owners_(std::move(owners)) {}

  /// Finds the owner of each host. The start is refused while some owner is unclear; after the
  /// start such a host is left alone.
  Status learn(const SlurmSnapshot& snapshot, const CapJournal& journal, bool started);
  /// Checks that each name of [hosts] map is a node; `conf` is the slurm.conf to add it to.
  /// ErrorCode::usage.
  Status check_map(const SlurmSnapshot& snapshot, const std::string& conf) const;
  bool contains(const std::string& host) const { return owners_.others(host); }
  bool unclear(const std::string& host) const { return owners_.unclear(host); }
  Status refused() const { return owners_.refused(); }

  /// Closes them as a whole until a cap opens them.
  void close(const SlurmSnapshot& snapshot, SlurmFences& fences) const;
  /// Resumes those whose fence is in force. slurm.conf keeps them drained until then, also after
  /// each start of the controller, which replaces an administrator's own reason: a host that was
  /// drained for another reason before stays drained.
  void resume(const SlurmSnapshot& snapshot, const SlurmFences& fences, UnknownWords& unknown);
  /// Drains again the imported hosts that were closed when they were found. The fences of all other
  /// hosts stay; returns a sentence for each of those fences.
  Result<std::vector<std::string>> leave(const SlurmSnapshot& snapshot) const;
  /// Adds a sentence for each on which no job that is reported as waiting could start: it is in
  /// none of `partitions`, or in no partition at all if those are not given.
  void add_to(std::vector<std::string>& cautions, const SlurmSnapshot& snapshot,
              const std::vector<std::string>& partitions) const;

 private:
  Status leave_drained(const SlurmHost& host) const;
  bool is_hold_job(const SlurmFenceFound& fence) const {
    return mode_ == SlurmFence::hold_job && !fence.whole;
  }

  const SlurmClient& client_;
  SlurmFence mode_;
  HostOwners owners_;
  std::set<std::string> drained_otherwise_;  // when they were seen last
};

}  // namespace leasehold::agent
