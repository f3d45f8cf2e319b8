#include "agent/workload/slurm/fence/let_go.hpp"

#include <algorithm>

#include "agent/workload/slurm/fence/doubts.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

void SlurmLetGo::adopt(const SlurmHost& host, const SlurmFences& fences) {
  if (mode_ != SlurmFence::hold_job) return;
  if (!fences.wants(host.node.name) || fences.holds(host)) return;
  // Cores that are open but in use by the owner's jobs are a lowering under way, and prove nothing.
  const bool idle_and_open = fences.open_slots(host) > fences.used(host);
  if (!host.node.up || idle_and_open) let_go_.insert(host.node.name);
}

Status SlurmLetGo::apply(SlurmSnapshot& snapshot) {
  if (mode_ != SlurmFence::hold_job) return {};
  std::vector<SlurmHost*> going;
  std::set<std::string> names = let_go_;
  for (SlurmHost& host : snapshot.hosts) {
    const bool goes = host.node.drained || host.node.use == SlurmNodeUse::not_now;
    if (!goes || host.fences.empty() || !allowed_.contains(host.node.name)) continue;
    going.push_back(&host);
    names.insert(host.node.name);
  }
  // Names that are only to be taken out of the file can wait.
  if (Status kept = kept_.keep(std::move(names)); !kept && !going.empty()) return kept;
  for (SlurmHost* host : going) {
    if (Status ended = end_on(*host); !ended) return ended;
  }
  return {};
}

Status SlurmLetGo::end_on(SlurmHost& host) {
  const bool first = let_go_.insert(host.node.name).second;
  for (SlurmFenceFound& fence : host.fences) {
    if (fence.ending) continue;
    if (Status ended = client_.cancel(fence.name); !ended) return ended;
    fence.ending = true;
  }
  if (first) log_info("hold-jobs-ended", {{"host", host.node.name}});
  return {};
}

bool SlurmLetGo::keeps_down(const SlurmHost& host, const SlurmFences& fences, int64_t now_s) {
  const std::string& name = host.node.name;
  const bool sure = std::none_of(
      host.fences.begin(), host.fences.end(),
      [now_s](const SlurmFenceFound& fence) { return may_be_forgotten(fence, now_s); });
  if (host.node.up && sure && fences.holds(host)) let_go_.erase(name);
  return let_go_.contains(name);
}

}  // namespace leasehold::agent
