// The part of Agent that has hosts of its cluster switched on, or let go, which the broker names.
#include "agent/io/agent/agent.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

/// What the workload manager refuses is tried again later, as what it takes and does not do.
void Agent::mind_off_hosts(int64_t now_ms) {
  for (const LeasedGroup& group : book_.groups()) {
    if (group.limits.role != wire::Role::provider) continue;
    for (size_t i = 0; i < group.limits.hosts.size() && i < group.places.size(); ++i)
      if (group.limits.hosts[i].limit < group.limits.hosts[i].exported)
        off_hosts_.lent(group.places[i]);
  }
  workload_.nobody_else_uses(off_hosts_.unused());
  std::string woken;
  for (const std::string& host : off_hosts_.to_wake(view_, now_ms)) {
    off_hosts_.tried(host, now_ms);
    if (const Status done = workload_.wake(host); !done)
      log_warn("wake-failed", {{"host", host}, {"error", describe(done.error())}});
    else
      woken += (woken.empty() ? "" : ",") + host;
  }
  if (!woken.empty()) log_info("hosts-woken", {{"hosts", woken}});
}

}  // namespace leasehold::agent
