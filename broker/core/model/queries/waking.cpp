#include "broker/core/model/queries/waking.hpp"

#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

namespace {

/// Adds slots_of(row) of each host that is being switched on.
template <class SlotsOf>
int64_t sum_waking(const State& state, const SlotGroup& group, const SlotsOf& slots_of) {
  int64_t slots = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (wakes(state, group, row)) slots += slots_of(row);
  }
  return slots;
}

}  // namespace

int64_t waking_slots(const State& state, const SlotGroup& lease) {
  return sum_waking(state, lease, [&](uint32_t row) { return consumer_cap(state, lease, row); });
}

int64_t waking_slots_of(const State& state, uint32_t cluster) {
  int64_t slots = 0;
  for (const uint32_t g : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    const uint32_t member = member_of(group, cluster);
    if (group.phase == Phase::closed || member == kNoIndex || member == kProvider) continue;
    slots +=
        group.resource_group == kNoIndex
            ? waking_slots(state, group)
            : sum_waking(state, group, [&](uint32_t row) { return group.at(row, member).due; });
  }
  return slots;
}

}  // namespace leasehold
