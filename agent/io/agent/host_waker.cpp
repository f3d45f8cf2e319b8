#include "agent/io/agent/host_waker.hpp"

#include <algorithm>

#include "common/log.hpp"

namespace leasehold::agent {

namespace {

bool is_up(const View& view, const std::string& host) {
  return std::any_of(view.loads.begin(), view.loads.end(), [&host](const HostLoad& load) {
    return load.host == host && !load.imported && load.up;
  });
}

}  // namespace

/// An agent that starts again and again wakes no host more often for that.
std::vector<std::string> HostWaker::try_now(const View& view, int64_t now_ms) {
  const OffHosts before = hosts_;
  std::vector<std::string> names = hosts_.to_wake(view, now_ms);
  if (names.empty()) return names;
  for (const std::string& host : names) hosts_.tried(host, now_ms);
  if (const Status kept = state_.save_wakes(hosts_.save()); !kept) {
    log_error("state-not-written", {{"error", describe(kept.error())}});
    hosts_ = before;
    return {};
  }
  return names;
}

void HostWaker::mind(const Book& book, const View& view, int64_t now_ms) {
  if (book.configuration().observe) return workload_.nobody_else_uses({});
  for (const LeasedGroup& group : book.groups()) {
    if (group.limits.role != wire::Role::provider) continue;
    for (size_t i = 0; i < group.limits.hosts.size() && i < group.places.size(); ++i) {
      // A host that sleeps while slots of it are lent was not lent for having been woken.
      const bool some_lent = group.limits.hosts[i].limit < group.limits.hosts[i].exported;
      if (some_lent && is_up(view, group.places[i])) hosts_.lent(group.places[i]);
    }
  }
  workload_.nobody_else_uses(hosts_.unused());
  std::string woken;
  for (const std::string& host : try_now(view, now_ms)) {
    if (const Status done = workload_.wake(host); !done)
      log_warn("wake-failed", {{"host", host}, {"error", describe(done.error())}});
    else
      woken += (woken.empty() ? "" : ",") + host;
  }
  if (!woken.empty()) log_info("hosts-woken", {{"hosts", woken}});
}

}  // namespace leasehold::agent
