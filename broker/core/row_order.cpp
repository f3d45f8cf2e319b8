#include "broker/core/row_order.hpp"

#include <algorithm>

namespace leasehold {

void sort_rows(wire::StateBlock& block) {
  const auto before = [](const wire::HostState& a, const wire::HostState& b) {
    return a.host < b.host;
  };
  for (const wire::GroupState& group : block.groups) {
    const auto rows = std::span(block.hosts).subspan(group.first, group.count);
    if (!std::is_sorted(rows.begin(), rows.end(), before)) {
      std::sort(rows.begin(), rows.end(), before);
    }
  }
}

}  // namespace leasehold
