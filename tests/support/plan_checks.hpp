// Checks a plan's members that a statement leaves alone: only those whose rows changed are
// evaluated then, so nobody else may have anything to give up.
#pragma once

#include <string>
#include <vector>

#include "broker/core/ledger/dues.hpp"
#include "broker/core/model/queries/hosts.hpp"

namespace leasehold::test {

/// False: surely none of the group's members has anything to give up or to keep after all.
inline bool may_return(const State& state, const SlotGroup& group) {
  if (!group.transfers.empty()) return true;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    for (size_t m = 0; m < group.members.size(); ++m) {
      if (group.at(row, m).held > member_cap(state, group, m, row)) return true;
    }
  }
  return false;
}

/// One sentence for each group of which a member is overlooked.
inline std::vector<std::string> overlooked(const State& state) {
  std::vector<std::string> found;
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    const SlotGroup& group = state.slot_groups[g];
    const bool kept = group.holding_index && group.holding_index->fits(group);
    if (!kept || group.quarantined || group.phase == Phase::closed || state.frozen) continue;
    if (!may_return(state, group)) continue;
    State copy = state;
    Effects effects;
    Turn turn{copy, effects, copy.now};
    return_above_dues(turn, g, MembersToCheck::changed);
    const size_t known = effects.records.size();
    return_above_dues(turn, g, MembersToCheck::all);
    if (effects.records.size() == known) continue;
    const uint32_t from = member_of(group, effects.records[known].from);
    found.push_back(lease_id(state, group, from) + ": has slots to return, and nobody looks at it");
  }
  return found;
}

}  // namespace leasehold::test
