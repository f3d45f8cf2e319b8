// SlurmLetGo ends hold jobs on hosts that are drained, or to be restarted, if no other cluster uses
// anything there: they would keep the host busy for ever, and `scontrol reboot` waits for that.
// Afterwards the host does not count as up until hold jobs keep as much as before.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/workload/slurm/fences.hpp"

namespace leasehold::agent {

class SlurmLetGo {
 public:
  SlurmLetGo(const SlurmClient& client, SlurmFence mode) : client_(client), mode_(mode) {}

  /// Sets the hosts of which nobody else uses anything now.
  void allow(const std::vector<std::string>& hosts) { allowed_ = {hosts.begin(), hosts.end()}; }
  /// Runs at an agent's start: missing hold jobs may have been ended before it.
  void adopt(const SlurmScene& scene, const SlurmFences& fences);
  /// Ends the hold jobs of allowed hosts that are drained, restart or are blocked.
  Status apply(SlurmScene& scene);
  /// True if the host must not count as up: its hold jobs were ended, and do not keep it again yet.
  /// `sure` says that the controller cannot forget what they keep.
  bool keeps_down(const SlurmHost& host, const SlurmFences& fences, bool sure);

 private:
  const SlurmClient& client_;
  SlurmFence mode_;
  std::set<std::string> allowed_;
  std::set<std::string> let_go_;
};

}  // namespace leasehold::agent
