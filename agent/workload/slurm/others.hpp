// SlurmOthers: nodes that stand for hosts of other clusters: which they are, when they may come up,
// and how they are left. Their fences are fences.hpp's.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/workload/slurm/fences.hpp"
#include "agent/workload/support/host_owners.hpp"
#include "agent/workload/support/unknown_words.hpp"

namespace leasehold::agent {

class SlurmOthers {
 public:
  SlurmOthers(const SlurmClient& client, SlurmFence mode, HostOwners owners)
      : client_(client), mode_(mode), owners_(std::move(owners)) {}

  /// Finds the owner of each host. The start is refused while some owner is unclear; after the
  /// start such a host is left alone.
  Status learn(const SlurmScene& scene, const CapJournal& journal, bool started);
  bool contains(const std::string& host) const { return owners_.others(host); }
  bool unclear(const std::string& host) const { return owners_.unclear(host); }
  Status refused() const { return owners_.refused(); }

  /// Closed as a whole until a cap opens them.
  void close(const SlurmScene& scene, SlurmFences& fences) const;
  /// slurm.conf keeps them drained until their fence stands, also after each start of the
  /// controller, which puts that in the place of an administrator's own word: one that was drained
  /// for another reason before stays so.
  void resume(const SlurmScene& scene, const SlurmFences& fences, UnknownWords& unknown);
  /// Drained again where they were when they were found, else closed for good, with a sentence
  /// each.
  Result<std::vector<std::string>> leave(const SlurmScene& scene) const;

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

/// Each name of [hosts] map is a node; `conf`: the slurm.conf to add it to. ErrorCode::usage.
Status slurm_knows_map(const HostNames& names, const SlurmScene& scene, const std::string& conf);

}  // namespace leasehold::agent
