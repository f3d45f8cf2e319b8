// Checks a plan's members that a statement leaves alone: only those whose rows changed are
// evaluated then, so nobody else may have anything to give up.
#pragma once

#include <string>
#include <vector>

#include "broker/core/ledger/dues.hpp"

namespace leasehold::test {

/// One sentence for each member that is overlooked.
inline std::vector<std::string> overlooked(const State& state) {
  std::vector<std::string> found;
  for (const SlotGroup& group : state.slot_groups) {
    const bool kept = group.holding_index && group.holding_index->fits(group);
    if (!kept || group.quarantined || group.phase == Phase::closed || state.frozen) continue;
    const HoldingIndex& index = holding_index(group);
    for (uint32_t m = kProvider + 1; m < group.members.size(); ++m) {
      if (index.unchecked().contains(m) || !has_to_return(state, group, m)) continue;
      found.push_back(lease_id(state, group, m) + ": has slots to return, and nobody looks at it");
    }
  }
  return found;
}

}  // namespace leasehold::test
