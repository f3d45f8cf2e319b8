// SlurmLetGo: hold jobs on hosts that are drained, or to be restarted, and of which no other
// cluster uses anything: they would keep the host busy for ever, and `scontrol reboot` waits for
// that. Where they went the host is not called up again before hold jobs keep as much as before.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/workload/slurm/fences.hpp"

namespace leasehold::agent {

class SlurmLetGo {
 public:
  SlurmLetGo(const SlurmClient& client, SlurmFence mode) : client_(client), mode_(mode) {}

  /// The hosts of which nobody else uses anything now.
  void allow(const std::vector<std::string>& hosts) { allowed_ = {hosts.begin(), hosts.end()}; }
  /// At an agent's start: hold jobs that lack may have been let go before it.
  void adopt(const SlurmScene& scene, const SlurmFences& fences);
  /// Ends the hold jobs of those that are drained, restart or are blocked.
  Status apply(SlurmScene& scene);
  /// Not to be called up: hold jobs were let go, and do not keep it again yet. `sure`: what they
  /// keep cannot be forgotten any more.
  bool keeps_down(const SlurmHost& host, const SlurmFences& fences, bool sure);

 private:
  const SlurmClient& client_;
  SlurmFence mode_;
  std::set<std::string> allowed_;
  std::set<std::string> let_go_;
};

}  // namespace leasehold::agent
