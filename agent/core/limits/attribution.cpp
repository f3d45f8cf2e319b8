#include "agent/core/limits/attribution.hpp"

#include <algorithm>

#include "common/check.hpp"

namespace leasehold::agent {

int32_t attribute(int32_t used_total, int32_t own, std::span<const int32_t> limits,
                  std::span<int32_t> used) {
  LEASEHOLD_CHECK(limits.size() == used.size(), "one answer for each limit");
  int32_t left = std::max(0, used_total - std::max(0, own));
  for (size_t i = 0; i < limits.size(); ++i) {
    used[i] = std::min(left, limits[i]);
    left -= used[i];
  }
  return left;
}

}  // namespace leasehold::agent
