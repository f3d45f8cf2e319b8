#include "agent/core/limits/fences.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

const HostCap* cap_of(const std::vector<HostCap>& caps, const std::string& host) {
  const auto found = std::find_if(caps.begin(), caps.end(),
                                  [&host](const HostCap& cap) { return cap.host == host; });
  return found == caps.end() ? nullptr : &*found;
}

/// Returns the slots of the host that are open now: an own host without a cap is free, an imported
/// one closed.
int32_t open_slots(const HostCap& change, const std::vector<HostCap>& found,
                   const std::vector<wire::HostFacts>& own_hosts) {
  if (const HostCap* cap = cap_of(found, change.host)) return cap->slots;
  const auto own =
      std::find_if(own_hosts.begin(), own_hosts.end(),
                   [&change](const wire::HostFacts& host) { return host.name == change.host; });
  return change.imported || own == own_hosts.end() ? 0 : own->slots;
}

/// A cap without parts takes the fence away.
int32_t wanted_of(const HostCap& cap) {
  if (!cap.parts.empty()) return cap.slots;
  return cap.imported ? 0 : INT32_MAX;
}

}  // namespace

void Fences::asked(const std::vector<HostCap>& caps, int64_t now_ms, int64_t delay_ms, bool done) {
  for (const HostCap& cap : caps) {
    const auto [at, is_new] = asked_.try_emplace(cap.host);
    Asked& known = at->second;
    const int32_t wanted = wanted_of(cap);
    const bool same = !is_new && known.wanted == wanted;
    if (!same) known.open_still.reset();
    if (!same) known.steps.clear();
    if (!same || !known.done || !done) known.binds_at_ms = now_ms + delay_ms;
    known.wanted = wanted;
    known.imported = cap.imported;
    known.done = done;
  }
}

void Fences::seen(const std::vector<HostCap>& found, int64_t now_ms, int64_t delay_ms) {
  for (auto& [host, known] : asked_) {
    const HostCap* cap = cap_of(found, host);
    const int32_t open = cap != nullptr ? cap->slots : known.imported ? 0 : INT32_MAX;
    std::erase_if(known.steps, [now_ms](const Step& step) { return step.until_ms <= now_ms; });
    if (known.open_still && open < *known.open_still) {
      known.steps.push_back({now_ms + delay_ms, *known.open_still});
    }
    known.open_still.reset();
    if (open > known.wanted) known.open_still = open;
  }
  std::erase_if(asked_, [now_ms](const auto& entry) {
    const Asked& known = entry.second;
    return known.binds_at_ms <= now_ms && !known.open_still && known.steps.empty();
  });
}

int64_t Fences::all_bind_at_ms(int64_t now_ms) const {
  int64_t last_ms = INT64_MIN;
  for (const auto& [host, known] : asked_) last_ms = std::max(last_ms, known.binds_at_ms);
  return last_ms <= now_ms ? INT64_MIN : last_ms;
}

std::set<std::string> Fences::closing(int64_t now_ms) const {
  std::set<std::string> hosts;
  for (const auto& [host, known] : asked_) {
    if (known.binds_at_ms > now_ms || counted_open(host, now_ms) > 0) hosts.insert(host);
  }
  return hosts;
}

int64_t Fences::binds_at_ms(const std::string& host, int64_t now_ms) const {
  const auto found = asked_.find(host);
  const bool binds = found == asked_.end() || found->second.binds_at_ms <= now_ms;
  return binds ? INT64_MIN : found->second.binds_at_ms;
}

namespace {

/// Returns INT32_MAX for an own host that should have a cap and has none: how many of its slots are
/// open is not known here.
int32_t slots_beyond(const HostCap* wanted, const HostCap* found) {
  if (found == nullptr) return wanted == nullptr || wanted->imported ? 0 : INT32_MAX;
  return wanted == nullptr ? found->slots : std::max(0, found->slots - wanted->slots);
}

}  // namespace

std::optional<int32_t> Fences::beyond(const std::string& host, const std::vector<HostCap>& wanted,
                                      const std::vector<HostCap>& found, int64_t now_ms) const {
  if (binds_at_ms(host, now_ms) != INT64_MIN) return std::nullopt;
  const HostCap* cap = cap_of(wanted, host);
  const int32_t before = counted_open(host, now_ms) - (cap == nullptr ? 0 : cap->slots);
  return std::max(before, slots_beyond(cap, cap_of(found, host)));
}

int32_t Fences::counted_open(const std::string& host, int64_t now_ms) const {
  const auto known = asked_.find(host);
  if (known == asked_.end()) return 0;
  int32_t open = 0;
  for (const Step& step : known->second.steps) {
    if (step.until_ms > now_ms) open = std::max(open, step.open);
  }
  return open;
}

bool Fences::stands(const std::string& host, const std::vector<HostCap>& wanted,
                    const std::vector<HostCap>& found, int64_t now_ms) const {
  return beyond(host, wanted, found, now_ms) == 0;
}

std::vector<HostCap> without_raises(std::vector<HostCap> changes, const std::vector<HostCap>& found,
                                    const std::vector<wire::HostFacts>& own_hosts) {
  std::erase_if(changes,
                [&](const HostCap& cap) { return cap.slots >= open_slots(cap, found, own_hosts); });
  for (HostCap& cap : changes) {
    if (const HostCap* is = cap_of(found, cap.host)) cap.parts = is->parts;
  }
  return changes;
}

}  // namespace leasehold::agent
