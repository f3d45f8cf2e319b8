// SlurmLetGo ends hold jobs on hosts that are drained, or to be restarted, if no other cluster uses
// anything there: they would keep the host busy for ever, and `scontrol reboot` waits for that.
// Afterwards the host does not count as up until hold jobs keep as much as before.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/workload/slurm/fence/fences.hpp"
#include "agent/workload/slurm/fence/kept_names.hpp"

namespace leasehold::agent {

class SlurmLetGo {
 public:
  /// `kept` has the hosts whose hold jobs an agent before ended, and that are not kept again.
  SlurmLetGo(const SlurmClient& client, SlurmFence mode, KeptNames kept)
      : client_(client), mode_(mode), kept_(std::move(kept)), let_go_(kept_.names()) {}

  /// Sets the hosts of which nobody else uses anything now.
  void allow(const std::vector<std::string>& hosts) { allowed_ = {hosts.begin(), hosts.end()}; }
  /// Called for each own host when the agent starts, because hold jobs may have died meanwhile, or
  /// an agent may have ended them without storing that. If they keep less than is wanted, and the
  /// host is not up or has idle cores open, it counts as let go.
  void adopt(const SlurmHost& host, const SlurmFences& fences);
  /// Ends the hold jobs of allowed hosts that are drained, restart or are blocked. Which these are
  /// is stored first.
  Status apply(SlurmSnapshot& snapshot);
  /// True if the host must not count as up: its hold jobs were ended, and do not keep it again yet.
  /// Hold jobs that the controller may still forget at `now_s` do not count.
  bool keeps_down(const SlurmHost& host, const SlurmFences& fences, int64_t now_s);

 private:
  Status end_on(SlurmHost& host);

  const SlurmClient& client_;
  SlurmFence mode_;
  KeptNames kept_;
  std::set<std::string> allowed_;
  std::set<std::string> let_go_;
};

}  // namespace leasehold::agent
