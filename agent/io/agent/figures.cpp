// The part of Agent that reads its state for metrics.
#include "agent/io/agent/agent.hpp"

namespace leasehold::agent {

AgentFigures Agent::figures(int64_t now_ms) const {
  AgentFigures figures;
  figures.cluster = settings_.cluster;
  figures.connected = session_.open();
  figures.started = started_;
  figures.workload_up = seen_;
  figures.failures = failures_.in_a_row();
  figures.epoch = session_.seen().epoch;
  figures.of_others = other_leaders_.messages();
  if (looked_ms_) figures.look_age_ms = now_ms - *looked_ms_;
  figures.pending = view_.pending;
  figures.running = view_.running;
  figures.orders = pending_.size();
  figures.reclaims = reclaims_.save(now_ms).size();
  const std::vector<LeasedGroup>& groups = book_.groups();
  for (size_t i = 0; i < groups.size() && i < use_.size(); ++i) {
    const LeasedGroup& group = groups[i];
    LeasedSlots& slots = figures.leased[{group.configured.peer, group.limits.role}];
    for (const HostLimit& host : group.limits.hosts) slots.limit += host.limit;
    for (const int32_t used : use_[i].used) slots.used += used;
    figures.breach += use_[i].breach;
  }
  return figures;
}

}  // namespace leasehold::agent
