#include "agent/core/limits/cap_bounds.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace leasehold::agent {

std::optional<std::string> fault_of(std::span<const HostCap> caps) {
  std::set<std::string> hosts;
  std::map<uint64_t, int64_t> sizes;  // of groups, by generation
  int64_t limits = 0;
  int64_t exports = 0;
  for (const HostCap& cap : caps) {
    if (!hosts.insert(cap.host).second) return "host " + cap.host + " is listed twice";
    std::set<std::pair<uint64_t, uint32_t>> places;
    for (const CapPart& part : cap.parts) {
      if (!places.emplace(part.generation, part.host).second) {
        return "host " + cap.host + " has position " + std::to_string(part.host) + " of group " +
               std::to_string(part.generation) + " twice in its parts";
      }
      int64_t& size = sizes[part.generation];
      size = std::max(size, int64_t{part.host} + 1);
      limits += part.limit;
      exports += part.exported;
    }
  }
  int64_t positions = 0;
  for (const auto& [generation, size] : sizes) positions += size;
  if (auto fault =
          out_of("what the positions in all parts add up to", positions, 0, kGroupHostsMax)) {
    return fault;
  }
  if (auto fault = out_of("what the limits of all parts add up to", limits, 0, kCapLimitMax)) {
    return fault;
  }
  return out_of("what the exports of all parts add up to", exports, 0, kSlotsMax);
}

}  // namespace leasehold::agent
