#include "broker/core/lease/asleep.hpp"

#include <algorithm>

#include "broker/core/exports/offer.hpp"
#include "broker/core/lease/by_demand.hpp"
#include "broker/core/lease/gate.hpp"
#include "broker/core/model/hosts.hpp"

namespace leasehold {

namespace {

/// Nothing but that no host is up, or that the lease is not made, keeps it from being decided.
bool could_move(const State& state, const SlotGroup& group) {
  const Reason closed = gate(state, group);
  const bool by_hosts = closed == Reason::no_common_host || closed == Reason::not_made;
  return (closed == Reason::none || by_hosts) && state.config.mode == Mode::lease &&
         can_fence(state, group) && !cluster_drains(state, group, kConsumer);
}

bool could_wake(const State& state, const SlotGroup& group, uint32_t row) {
  return sleeps(state, group, row) && consumer_cap(state, group, row) > 0;
}

std::vector<uint32_t> by_demand(const State& state, const SlotGroup& group) {
  std::vector<uint32_t> rows;
  if (!given_by_demand(state, group, Asleep::left_out).empty()) return rows;
  for (const auto& [row, slots] : given_by_demand(state, group, Asleep::counted)) {
    if (sleeps(state, group, row)) rows.push_back(row);
  }
  return rows;
}

struct IdleSlots {
  int64_t provider = 0;
  int64_t consumer = 0;
};

/// On hosts that both call up. What is on its way to the consumer is as its own.
IdleSlots idle_slots(const State& state, const SlotGroup& group) {
  IdleSlots idle;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (!common_up(group, row) || consumer_cap(state, group, row) == 0) continue;
    idle.provider += idle_there(state, group, kProvider, row);
    idle.consumer += idle_there(state, group, kConsumer, row);
  }
  for (const Transfer& open : group.transfers) {
    if (open.to == kConsumer) idle.consumer += open.slots_wanted;
  }
  return idle;
}

/// Slots of hosts that are being switched on: work waits for them already.
int64_t waking_slots(const State& state, const SlotGroup& group) {
  int64_t slots = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (wakes(state, group, row)) slots += consumer_cap(state, group, row);
  }
  return slots;
}

/// A rule that goes by no shapes: as many hosts as there are slots wanted, in the order of the
/// group. What is idle elsewhere is not waited for where it is to go the other way.
std::vector<uint32_t> by_numbers(const State& state, const SlotGroup& group) {
  int64_t wanted = state.clusters[group.members[kConsumer].cluster].pending;
  if (group.phase == Phase::offered) {
    const int64_t first = state.policies[group.policy].config.initial_slots;
    wanted = std::min(wanted, first);
  }
  const IdleSlots idle = idle_slots(state, group);
  const int64_t lacking = wanted - idle.provider - idle.consumer;
  std::vector<uint32_t> rows;
  int64_t woken = waking_slots(state, group);
  for (uint32_t row = 0; row < group.hosts.size() && woken < lacking; ++row) {
    if (!could_wake(state, group, row)) continue;
    woken += consumer_cap(state, group, row);
    rows.push_back(row);
  }
  if (idle.provider + woken <= idle.consumer) rows.clear();
  return rows;
}

}  // namespace

std::vector<uint32_t> rows_to_wake(const State& state, const SlotGroup& group) {
  bool any = false;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    any = any || could_wake(state, group, row);
  }
  const bool waits = !nobody_waits(state.clusters[group.members[kConsumer].cluster]);
  if (!any || !waits || !could_move(state, group)) return {};
  const bool offered = group.phase == Phase::offered;
  return goes_by_demand(state, group) && !offered ? by_demand(state, group)
                                                  : by_numbers(state, group);
}

}  // namespace leasehold
