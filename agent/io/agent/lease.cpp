// The part of Agent that carries out the end of leases (agent/core/lease_end.hpp), and tells the
// workload manager until when they go on.
#include <algorithm>

#include "agent/io/agent/agent.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

/// Called before anything else is done with a moment: fences the slots of leases that have ended.
void Agent::mind_lease(int64_t now_ms) {
  if (!started_) return;
  if (lease_end_.begins(lease_.ended(now_ms))) {
    log_warn("leases-ended", {{"cluster", settings_.cluster}, {"lease_ttl_ms", lease_.ttl_ms()}});
    std::erase_if(pending_, [&](const auto& entry) {
      return book_.find(entry.first)->limits.role == wire::Role::consumer;
    });
    if (book_.close_leased()) lease_end_.closed();
  }
  if (lease_end_.try_fence(now_ms) && enforce_wanted()) {
    lease_end_.fenced(now_ms, workload_.traits().settle_ms);
  }
  if (lease_end_.try_give_up(now_ms) && look()) give_up_ended();
}

/// The fences stand: limits fall to what is used, and on as jobs end.
void Agent::give_up_ended() {
  for (const LeasedGroup& group : book_.groups()) {
    if (group.limits.role != wire::Role::consumer) continue;
    if (pending_.contains(group.limits.generation)) continue;  // that order fences for itself
    for (HostLimit& host : book_.find(group.limits.generation)->limits.hosts) host.settling = false;
  }
  lease_end_.gave_up();
  lower_open();
}

/// Tells the workload manager until when it is. Before the broker has spoken to this process
/// nothing is made longer.
void Agent::renew_workload(int64_t now_ms) {
  if (!confirmed_ || !workload_.traits().self_expiring || lease_.ended(now_ms)) return;
  const int64_t until_ms = lease_.ends_ms();
  if (until_ms != view_.leases_until_ms) {
    if (const Status done = workload_.lease_until(until_ms); !done)
      return failures_.count("lease_until", done.error());
    view_.leases_until_ms = until_ms;
  }
  ttl_told_ms_ = lease_.ttl_ms();
}

int64_t Agent::longest_grace_ms() const {
  int64_t longest = book_.longest_grace_ms();
  for (const HostCap& cap : view_.caps)
    if (cap.imported) longest = std::max(longest, cap.grace_ms);
  return longest;
}

/// Is 0 until the workload manager goes by the current TTL: nothing is promised that it does not
/// keep.
int64_t Agent::lease_ms() const {
  const bool told = lease_.ttl_ms() > 0 && ttl_told_ms_ == lease_.ttl_ms();
  return told ? lease_.ttl_ms() + longest_grace_ms() : 0;
}

/// Before a configuration: what it still goes by, counted from now.
int64_t Agent::lease_ms_at_hello(int64_t now_ms) const {
  if (!workload_.traits().self_expiring || view_.leases_until_ms == INT64_MAX) return 0;
  const int64_t left_ms = std::max(view_.leases_until_ms - now_ms, lease_.ttl_ms());
  return std::max<int64_t>(1, left_ms + longest_grace_ms());
}

}  // namespace leasehold::agent
