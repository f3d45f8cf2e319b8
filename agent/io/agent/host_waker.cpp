#include "agent/io/agent/host_waker.hpp"

#include "common/log.hpp"

namespace leasehold::agent {

void HostWaker::mind(const Book& book, const View& view, int64_t now_ms) {
  for (const LeasedGroup& group : book.groups()) {
    if (group.limits.role != wire::Role::provider) continue;
    for (size_t i = 0; i < group.limits.hosts.size() && i < group.places.size(); ++i)
      if (group.limits.hosts[i].limit < group.limits.hosts[i].exported)
        hosts_.lent(group.places[i]);
  }
  workload_.nobody_else_uses(hosts_.unused());
  std::string woken;
  for (const std::string& host : hosts_.to_wake(view, now_ms)) {
    hosts_.tried(host, now_ms);
    if (const Status done = workload_.wake(host); !done)
      log_warn("wake-failed", {{"host", host}, {"error", describe(done.error())}});
    else
      woken += (woken.empty() ? "" : ",") + host;
  }
  if (!woken.empty()) log_info("hosts-woken", {{"hosts", woken}});
}

}  // namespace leasehold::agent
