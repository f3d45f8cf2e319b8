#include "broker/core/lease/asleep.hpp"

#include <algorithm>

#include "broker/core/exports/offer.hpp"
#include "broker/core/lease/by_demand.hpp"
#include "broker/core/lease/gate.hpp"
#include "broker/core/model/waking.hpp"

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

bool any_could_wake(const State& state, const SlotGroup& group) {
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (could_wake(state, group, row)) return true;
  }
  return false;
}

bool decides_by_demand(const State& state, const SlotGroup& group) {
  return goes_by_demand(state, group) && group.phase != Phase::offered;
}

/// The rows that the rule gives, as long as slots of them are wanted.
std::vector<uint32_t> by_demand(const State& state, const SlotGroup& group, int64_t wanted) {
  std::vector<uint32_t> rows;
  int64_t lacking = wanted - waking_slots(state, group);
  if (lacking <= 0 || !given_by_demand(state, group, Asleep::left_out).empty()) return rows;
  for (const auto& [row, slots] : given_by_demand(state, group, Asleep::counted)) {
    if (lacking <= 0) break;
    if (!sleeps(state, group, row)) continue;
    lacking -= consumer_cap(state, group, row);
    rows.push_back(row);
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

int64_t first_slots(const State& state, const SlotGroup& group) {
  return state.policies[group.policy].config.initial_slots;
}

/// A rule that goes by no shapes: as many hosts as there are slots wanted, in the order of the
/// group. What is idle elsewhere is not waited for where it is to go the other way.
std::vector<uint32_t> by_numbers(const State& state, const SlotGroup& group, int64_t wanted) {
  if (group.phase == Phase::offered) wanted = std::min(wanted, first_slots(state, group));
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

/// Slots that the lease's next evaluation may bring to the consumer from hosts that are up.
int64_t on_offer(const State& state, const SlotGroup& group) {
  if (decides_by_demand(state, group))
    return slots_of(given_by_demand(state, group, Asleep::left_out));
  const IdleSlots idle = idle_slots(state, group);
  if (group.phase == Phase::offered) return std::min(first_slots(state, group), idle.provider);
  return std::max<int64_t>(0, idle.provider - idle.consumer);
}

/// The consumer's leases that could be decided: a bounded number of them, beginning elsewhere each
/// time that kWakeTurnMs have passed.
std::vector<uint32_t> leases_in_turn(const State& state, uint32_t consumer, Instant now) {
  constexpr size_t kLeasesMost = 64;
  std::vector<uint32_t> leases;
  for (const uint32_t g : state.clusters[consumer].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    const bool lease = group.resource_group == kNoIndex && group.phase != Phase::closed;
    if (!lease || group.members[kConsumer].cluster != consumer) continue;
    if (could_move(state, group)) leases.push_back(g);
  }
  if (leases.empty()) return leases;
  const auto turn = static_cast<uint64_t>(std::max<int64_t>(0, now.ms) / kWakeTurnMs);
  const size_t step = leases.size() > kLeasesMost ? kLeasesMost : 1;
  const auto first = static_cast<std::ptrdiff_t>(turn * step % leases.size());
  std::rotate(leases.begin(), leases.begin() + first, leases.end());
  leases.resize(std::min(leases.size(), kLeasesMost));
  return leases;
}

}  // namespace

std::vector<RowRef> lease_rows_to_wake(const State& state, uint32_t consumer, Instant now) {
  if (nobody_waits(state.clusters[consumer])) return {};
  const std::vector<uint32_t> leases = leases_in_turn(state, consumer, now);
  const auto sleeping = [&](uint32_t g) { return any_could_wake(state, state.slot_groups[g]); };
  if (std::none_of(leases.begin(), leases.end(), sleeping)) return {};
  int64_t left = state.clusters[consumer].pending - waking_in_leases(state, consumer) -
                 waking_in_plans(state, consumer);
  std::vector<int64_t> offered;
  for (const uint32_t g : leases) {
    offered.push_back(on_offer(state, state.slot_groups[g]));
    left -= offered.back();
  }
  std::vector<RowRef> rows;
  for (size_t i = 0; i < leases.size(); ++i) {
    const SlotGroup& group = state.slot_groups[leases[i]];
    if (!any_could_wake(state, group)) continue;
    // Its rule counts what the lease itself has.
    const int64_t wanted = left + offered[i] + waking_slots(state, group);
    for (const uint32_t row : decides_by_demand(state, group) ? by_demand(state, group, wanted)
                                                              : by_numbers(state, group, wanted)) {
      left -= consumer_cap(state, group, row);
      rows.push_back({leases[i], row});
    }
  }
  return rows;
}

}  // namespace leasehold
