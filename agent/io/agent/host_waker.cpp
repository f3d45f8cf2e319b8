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

bool HostWaker::keep(int64_t now_ms) {
  const Status kept = state_.save_wakes(hosts_.save(now_ms));
  if (!kept) log_not_written(kept.error(), "no host is switched on");
  return kept.has_value();
}

/// The tries are on disk first, so that an agent that starts again and again wakes no host more
/// often.
std::vector<std::string> HostWaker::try_now(const View& view, int64_t now_ms) {
  std::vector<std::string> names = hosts_.to_wake(view, now_ms);
  if (names.empty()) return names;
  const OffHosts before = hosts_;  // without what was to be woken: the next answer names it again
  for (const std::string& host : names) hosts_.tried(host, now_ms);
  if (keep(now_ms)) return names;
  hosts_ = before;
  return {};
}

void HostWaker::mind(const Book& book, const View& view, int64_t now_ms) {
  if (book.configuration().observe) return workload_.nobody_else_uses({});
  bool lent = false;
  for (const LeasedGroup& group : book.groups()) {
    if (group.limits.role != wire::Role::provider) continue;
    for (size_t i = 0; i < group.limits.hosts.size() && i < group.places.size(); ++i) {
      // A host that sleeps while slots of it are lent was not lent for having been woken.
      const bool some_lent = group.limits.hosts[i].limit < group.limits.hosts[i].exported;
      if (some_lent && is_up(view, group.places[i])) lent = hosts_.lent(group.places[i]) || lent;
    }
  }
  if (lent) keep(now_ms);
  workload_.nobody_else_uses(hosts_.unused());
  std::string woken;
  for (const std::string& host : try_now(view, now_ms)) {
    if (const Status done = workload_.wake(host); !done) {
      log_warn("wake-failed", {{"host", host},
                               {"why", describe(done.error())},
                               {"then", "the host stays switched off; it is tried again later"},
                               {"do",
                                "if it is refused: run the agent as root, SlurmUser or an "
                                "operator"}});
    } else {
      woken += (woken.empty() ? "" : ",") + host;
    }
  }
  if (!woken.empty()) log_info("hosts-woken", {{"hosts", woken}});
}

}  // namespace leasehold::agent
