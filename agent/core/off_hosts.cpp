#include "agent/core/off_hosts.hpp"

#include <algorithm>

#include "common/canary.hpp"

namespace leasehold::agent {

namespace {

const wire::HostFacts* facts_of(const View& view, const std::string& name) {
  const auto found = std::find_if(view.hosts.begin(), view.hosts.end(),
                                  [&name](const auto& host) { return host.name == name; });
  return found == view.hosts.end() ? nullptr : &*found;
}

bool is(const View& view, const std::string& name, wire::NotUp not_up) {
  const wire::HostFacts* host = facts_of(view, name);
  return host != nullptr && !host->up && host->not_up == not_up;
}

bool is_long_ago(int64_t tried_ms, int64_t now_ms) {
  return tried_ms < now_ms - 2 * kLastWakeAgainMs;
}

bool may_be_lent(const View& view, const std::string& name) {
  return std::any_of(view.loads.begin(), view.loads.end(), [&name](const HostLoad& load) {
    return load.host == name && !load.imported && load.lendable;
  });
}

}  // namespace

void OffHosts::sent_inventory(uint64_t heartbeat) {
  inventory_ = heartbeat;
  wake_.clear();
  unused_.clear();
}

void OffHosts::take_answer(const wire::HeartbeatAnswer& answer) {
  if (answer.number == 0 || answer.number <= inventory_) return;
  wake_ = answer.wake.value_or(std::vector<std::string>{});
  unused_ = answer.unused.value_or(std::vector<std::string>{});
}

std::vector<std::string> OffHosts::to_wake(const View& view, int64_t now_ms) {
  std::vector<std::string> hosts;
  size_t waking = 0;
  for (const auto& [host, known] : tried_) {
    const int64_t ago_ms = now_ms - known.at_ms;
    const bool just_now = ago_ms < kFirstWakeAgainMs && is(view, host, wire::NotUp::asleep);
    const bool comes = ago_ms < kLastWakeAgainMs && is(view, host, wire::NotUp::waking);
    waking += just_now || comes ? 1 : 0;
  }
  for (const std::string& host : wake_) {
    if (waking + hosts.size() >= kWakingMost) break;
    const auto known = tried_.find(host);
    const bool waits =
        known != tried_.end() && now_ms - known->second.at_ms < known->second.wait_ms;
    if (waits && !LEASEHOLD_CANARY(wakes_at_once)) continue;
    if (is(view, host, wire::NotUp::asleep) && may_be_lent(view, host)) hosts.push_back(host);
  }
  wake_.clear();
  return hosts;
}

void OffHosts::tried(const std::string& host, int64_t now_ms) {
  Tried& known = tried_[host];
  const int64_t wait_ms = is_long_ago(known.at_ms, now_ms) ? 0 : 2 * known.wait_ms;
  known = {std::clamp(wait_ms, kFirstWakeAgainMs, kLastWakeAgainMs), now_ms};
}

std::vector<SavedWake> OffHosts::save(int64_t now_ms) const {
  std::vector<SavedWake> saved;
  for (const auto& [host, known] : tried_) {
    if (!is_long_ago(known.at_ms, now_ms)) saved.push_back({host, known.wait_ms, known.at_ms});
  }
  return saved;
}

void OffHosts::restore(std::span<const SavedWake> saved, bool same_boot, int64_t now_ms) {
  for (const SavedWake& one : saved) {
    if (same_boot && is_long_ago(one.at_ms, now_ms)) continue;
    tried_[one.host] = {std::clamp(one.wait_ms, kFirstWakeAgainMs, kLastWakeAgainMs),
                        same_boot ? std::min(one.at_ms, now_ms) : now_ms};
  }
}

}  // namespace leasehold::agent
