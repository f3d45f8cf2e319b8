#include "agent/core/limits/attribution.hpp"

#include <algorithm>

#include "common/check.hpp"

namespace leasehold::agent {

int32_t attribute(int32_t used_total, int32_t own, std::span<const Slots> groups,
                  std::span<int32_t> used) {
  LEASEHOLD_CHECK(groups.size() == used.size(), "one answer for each group");
  int32_t left = std::max(0, used_total - std::max(0, own));
  for (size_t i = 0; i < groups.size(); ++i) {
    used[i] = std::min(left, std::max(0, std::min(groups[i].open, groups[i].limit)));
    left -= used[i];
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    const int32_t more = std::min(left, std::max(0, groups[i].limit - used[i]));
    used[i] += more;
    left -= more;
  }
  return left;
}

}  // namespace leasehold::agent
