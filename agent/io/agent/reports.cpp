#include "agent/io/agent/reports.hpp"

namespace leasehold::agent {

/// Makes the next report full, because positions in the inventory may have a new meaning.
const std::vector<wire::HostFacts>& Reports::take_inventory(
    const std::vector<wire::HostFacts>& hosts) {
  inventory_ = hosts;
  reporter_.resync();
  return inventory_;
}

std::vector<wire::HostUse> Reports::use_of(const std::vector<HostLoad>& loads) const {
  std::vector<wire::HostUse> use;
  for (uint32_t position = 0; position < inventory_.size(); ++position)
    for (const HostLoad& load : loads)
      if (!load.imported && load.host == inventory_[position].name)
        use.push_back({position, load.used, load.up});
  return use;
}

bool Reports::begin(bool seen, bool degraded, int64_t now_ms) {
  due_ms_ = now_ms + interval_ms_;
  if (!seen && (!degraded || degraded_reported_)) return false;
  degraded_reported_ = degraded;
  return true;
}

}  // namespace leasehold::agent
