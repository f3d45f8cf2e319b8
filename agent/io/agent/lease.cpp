// The part of Agent that minds the end of leases (schema/wire/PROTOCOL.md, "Lost contact"). The
// workload manager closes leased slots by itself at the instant it was told; what is done here
// keeps the limits in step, so that nothing opens again but by a new order.
#include <algorithm>

#include "agent/io/agent/agent.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kRetryMs = 1'000;

}  // namespace

/// Called before anything else is done with a moment: fences the slots of leases that have ended.
void Agent::mind_lease(int64_t now_ms) {
  if (!started_) return;
  const bool ended = lease_.ended(now_ms);
  if (ended && !lease_over_) {
    log_warn("leases-ended", {{"cluster", settings_.cluster}, {"lease_ttl_ms", lease_.ttl_ms()}});
    std::erase_if(pending_, [&](const auto& entry) {
      return book_.find(entry.first)->limits.role == wire::Role::consumer;
    });
    if (book_.close_leased()) ending_ = Ending::to_fence;
  }
  lease_over_ = ended;
  if (ending_ == Ending::to_fence) fence_ended(now_ms);
  if (ending_ == Ending::settling && now_ms >= ending_due_ms_) give_up_ended(now_ms);
}

bool Agent::fence_ended(int64_t now_ms) {
  if (ending_due_ms_ != INT64_MAX && now_ms < ending_due_ms_) return false;
  ending_due_ms_ = now_ms + kRetryMs;
  if (!enforce_wanted()) return false;
  ending_ = Ending::settling;
  ending_due_ms_ = now_ms + workload_.traits().settle_ms;
  return true;
}

/// The fences stand: limits fall to what is used, and on as jobs end.
void Agent::give_up_ended(int64_t now_ms) {
  ending_due_ms_ = now_ms + kRetryMs;
  if (!look()) return;
  for (const LeasedGroup& group : book_.groups()) {
    if (group.limits.role != wire::Role::consumer) continue;
    if (pending_.contains(group.limits.generation)) continue;  // that order fences for itself
    for (HostLimit& host : book_.find(group.limits.generation)->limits.hosts) host.settling = false;
  }
  ending_ = Ending::none;
  ending_due_ms_ = INT64_MAX;
  lower_open();
}

int64_t Agent::next_lease_ms() const {
  return lease_over_ ? ending_due_ms_ : std::min(ending_due_ms_, lease_.ends_ms());
}

/// Tells the workload manager until when it is. Before the broker has spoken to this process
/// nothing is made longer.
void Agent::renew_workload(int64_t now_ms) {
  if (!confirmed_ || !workload_.traits().self_expiring || lease_.ended(now_ms)) return;
  const int64_t until_ms = lease_.ends_ms();
  if (until_ms != view_.leases_until_ms) {
    if (const Status done = workload_.lease_until(until_ms); !done)
      return count_failure("lease_until", done.error());
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

/// Nothing is promised that the workload manager was not told.
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
