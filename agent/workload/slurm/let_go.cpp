#include "agent/workload/slurm/let_go.hpp"

#include "common/log.hpp"

namespace leasehold::agent {

void SlurmLetGo::adopt(const SlurmScene& scene, const SlurmFences& fences) {
  if (mode_ != SlurmFence::hold_job) return;
  for (const SlurmHost& host : scene.hosts) {
    if (!fences.wants(host.node.name) || fences.holds(host)) continue;
    // Cores that jobs of the owner still use are a lowering under way, and no sign of that.
    const bool idle_and_open = fences.open_slots(host) > fences.used(host);
    if (!host.node.up || idle_and_open) let_go_.insert(host.node.name);
  }
}

Status SlurmLetGo::apply(SlurmScene& scene) {
  if (mode_ != SlurmFence::hold_job) return {};
  for (SlurmHost& host : scene.hosts) {
    const std::string& name = host.node.name;
    const bool goes = host.node.drained || host.node.use == SlurmNodeUse::not_now;
    if (!goes || host.fences.empty() || !allowed_.contains(name)) continue;
    let_go_.insert(name);
    for (const SlurmFenceFound& fence : host.fences)
      if (Status ended = client_.cancel(fence.name); !ended) return ended;
    log_info("hold-jobs-ended", {{"host", name}});
    host.fences.clear();
  }
  return {};
}

bool SlurmLetGo::keeps_down(const SlurmHost& host, const SlurmFences& fences, bool sure) {
  const std::string& name = host.node.name;
  if (host.node.up && sure && fences.holds(host)) let_go_.erase(name);
  return let_go_.contains(name);
}

}  // namespace leasehold::agent
