#include "agent/core/limits/fences.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

const HostCap* cap_of(const std::vector<HostCap>& caps, const std::string& host) {
  const auto found = std::find_if(caps.begin(), caps.end(),
                                  [&host](const HostCap& cap) { return cap.host == host; });
  return found == caps.end() ? nullptr : &*found;
}

/// Slots of the host that are open now: an own host without a cap is free, an imported one closed.
int32_t open_slots(const HostCap& change, const std::vector<HostCap>& found,
                   const std::vector<wire::HostFacts>& own_hosts) {
  if (const HostCap* cap = cap_of(found, change.host)) return cap->slots;
  const auto own =
      std::find_if(own_hosts.begin(), own_hosts.end(),
                   [&change](const wire::HostFacts& host) { return host.name == change.host; });
  return change.imported || own == own_hosts.end() ? 0 : own->slots;
}

}  // namespace

void Fences::asked(const std::vector<HostCap>& caps, int64_t now_ms, int64_t settle_ms) {
  std::erase_if(settled_ms_, [now_ms](const auto& entry) { return entry.second <= now_ms; });
  if (settle_ms <= 0) return;
  for (const HostCap& cap : caps) settled_ms_[cap.host] = now_ms + settle_ms;
}

int64_t Fences::all_settled_ms(int64_t now_ms) const {
  int64_t last_ms = INT64_MIN;
  for (const auto& [host, at_ms] : settled_ms_) last_ms = std::max(last_ms, at_ms);
  return last_ms <= now_ms ? INT64_MIN : last_ms;
}

int64_t Fences::settled_ms(const std::string& host, int64_t now_ms) const {
  const auto found = settled_ms_.find(host);
  return found == settled_ms_.end() || found->second <= now_ms ? INT64_MIN : found->second;
}

bool Fences::stands(const std::string& host, const std::vector<HostCap>& wanted,
                    const std::vector<HostCap>& found, int64_t now_ms) const {
  if (settled_ms(host, now_ms) != INT64_MIN) return false;
  const HostCap* should = cap_of(wanted, host);
  const HostCap* is = cap_of(found, host);
  if (is == nullptr) return should == nullptr || should->imported;
  return should == nullptr ? is->slots == 0 : is->slots <= should->slots;
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
