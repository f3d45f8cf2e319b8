#include "agent/io/agent/reports.hpp"

#include <string_view>
#include <unordered_map>

namespace leasehold::agent {

/// Makes the next report full, because positions in the inventory may have a new meaning.
const std::vector<wire::HostFacts>& Reports::take_inventory(
    const std::vector<wire::HostFacts>& hosts) {
  inventory_ = hosts;
  reporter_.resync();
  return inventory_;
}

std::vector<wire::HostUse> Reports::use_of(const std::vector<HostLoad>& loads) const {
  std::unordered_map<std::string_view, const HostLoad*> own;
  for (const HostLoad& load : loads) {
    if (!load.imported) own.emplace(load.host, &load);
  }
  std::vector<wire::HostUse> use;
  for (uint32_t position = 0; position < inventory_.size(); ++position) {
    const auto found = own.find(inventory_[position].name);
    if (found != own.end()) use.push_back({position, found->second->used, found->second->up});
  }
  return use;
}

bool Reports::begin(bool seen, bool degraded, int64_t now_ms) {
  next_ms_ = now_ms + interval_ms_;
  if (!seen && (!degraded || degraded_reported_)) return false;
  degraded_reported_ = degraded;
  return true;
}

}  // namespace leasehold::agent
