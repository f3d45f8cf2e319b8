#include "broker/core/lease/asleep.hpp"

#include <algorithm>

#include "broker/core/exports/offer.hpp"
#include "broker/core/lease/by_demand.hpp"
#include "broker/core/lease/gate.hpp"
#include "broker/core/model/queries/waking.hpp"

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
  return goes_by_demand(state, group) &&
         (group.phase != Phase::offered || tells_shapes(state, group));
}

/// A host to be switched on, and how much of the waiting work that is for.
struct ForWork {
  uint32_t row = 0;
  int64_t slots = 0;
};

/// True if some job needs more than one host, or the whole of one: a part of what the rule gives
/// for it starts nothing.
bool needs_all_rows(const Cluster& consumer) {
  const auto wide = [](const wire::DemandBucket& one) { return one.hosts > 1 || one.whole; };
  return consumer.demand && std::any_of(consumer.demand->begin(), consumer.demand->end(), wide);
}

/// The most slots of the waiting work that a host starts: a job may take the whole of it for less.
int64_t most_on_host(const Cluster& consumer) {
  int64_t most = 0;
  if (!consumer.demand) return INT64_MAX;
  for (const wire::DemandBucket& one : *consumer.demand) {
    if (!one.whole) return INT64_MAX;
    most = std::max<int64_t>(most, one.slots_per_host);
  }
  return most;
}

/// Idle slots of hosts that are up go first: while there are any, the answer is empty. Slots that
/// the rule would place on hosts that are being switched on do not count as lacking.
std::vector<ForWork> by_demand(const State& state, const SlotGroup& group, int64_t lacking) {
  std::vector<ForWork> rows;
  if (lacking <= 0 || !given_by_demand(state, group, Asleep::left_out).empty()) return rows;
  const Wanted given = given_by_demand(state, group, Asleep::counted);
  int64_t wanted = slots_of(given) - slots_of(given_by_demand(state, group, Asleep::waking));
  if (wanted <= 0) return rows;
  const Cluster& consumer = state.clusters[group.members[kConsumer].cluster];
  const bool all = needs_all_rows(consumer);
  const int64_t most = most_on_host(consumer);
  for (const auto& [row, slots] : given) {
    if (!sleeps(state, group, row)) continue;
    if (!all && std::min(lacking, wanted) <= 0) break;
    lacking -= slots;
    wanted -= slots;
    rows.push_back({row, std::min<int64_t>(slots, most)});
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
std::vector<ForWork> by_numbers(const State& state, const SlotGroup& group, int64_t wanted) {
  if (group.phase == Phase::offered) wanted = std::min(wanted, first_slots(state, group));
  const IdleSlots idle = idle_slots(state, group);
  const int64_t lacking = wanted - idle.provider - idle.consumer;
  std::vector<ForWork> rows;
  int64_t woken = waking_slots(state, group);
  for (uint32_t row = 0; row < group.hosts.size() && woken < lacking; ++row) {
    if (!could_wake(state, group, row)) continue;
    rows.push_back({row, consumer_cap(state, group, row)});
    woken += rows.back().slots;
  }
  if (idle.provider + woken <= idle.consumer) rows.clear();
  return rows;
}

/// A lease that is not made yet wants its first slots, whatever waits.
std::vector<ForWork> hosts_for(const State& state, const SlotGroup& group, int64_t lacking,
                               int64_t wanted) {
  if (!decides_by_demand(state, group)) return by_numbers(state, group, wanted);
  std::vector<ForWork> rows = by_demand(state, group, lacking);
  const bool first = rows.empty() && group.phase == Phase::offered;
  return first ? by_numbers(state, group, wanted) : rows;
}

/// Returns the slots that the lease's next evaluation may bring to the consumer from hosts that are
/// up.
int64_t on_offer(const State& state, const SlotGroup& group) {
  if (decides_by_demand(state, group)) {
    const int64_t most = most_on_host(state.clusters[group.members[kConsumer].cluster]);
    int64_t slots = 0;
    for (const auto& [row, given] : given_by_demand(state, group, Asleep::left_out)) {
      slots += std::min<int64_t>(given, most);
    }
    return slots;
  }
  const IdleSlots idle = idle_slots(state, group);
  if (group.phase == Phase::offered) return std::min(first_slots(state, group), idle.provider);
  return std::max<int64_t>(0, idle.provider - idle.consumer);
}

/// The most leases whose rule is asked for a consumer at one look, of each kind below.
constexpr size_t kLeasesMost = 64;

/// Leases of a consumer that could be decided.
struct Leases {
  std::vector<uint32_t> to_wake;  // of which a host sleeps
  std::vector<uint32_t> others;
};

/// Begins elsewhere each time that kWakeTurnMs have passed.
void take_turns(std::vector<uint32_t>& leases, Instant now) {
  if (leases.empty()) return;
  const auto turn = static_cast<uint64_t>(std::max<int64_t>(0, now.ms) / kWakeTurnMs);
  const size_t step = leases.size() > kLeasesMost ? kLeasesMost : 1;
  const auto first = static_cast<std::ptrdiff_t>(turn * step % leases.size());
  std::rotate(leases.begin(), leases.begin() + first, leases.end());
}

Leases leases_of(const State& state, uint32_t consumer, Instant now) {
  Leases leases;
  for (const uint32_t g : state.clusters[consumer].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    const bool lease = group.resource_group == kNoIndex && group.phase != Phase::closed;
    if (!lease || group.members[kConsumer].cluster != consumer) continue;
    if (could_move(state, group)) {
      (any_could_wake(state, group) ? leases.to_wake : leases.others).push_back(g);
    }
  }
  take_turns(leases.to_wake, now);
  take_turns(leases.others, now);
  leases.to_wake.resize(std::min(leases.to_wake.size(), kLeasesMost));
  return leases;
}

/// True if nothing of the lease is the provider's and idle, as its cached totals say.
bool offers_nothing(const State& state, uint32_t lease) {
  const LeaseSummary* summary = fresh_summary(state, lease);
  return summary != nullptr && summary->no_transfer_open && summary->totals.provider_idle() == 0;
}

/// The rule that reads work is asked of no more than kLeasesMost leases.
int64_t offered_by(const State& state, const std::vector<uint32_t>& leases) {
  int64_t slots = 0;
  size_t asked = 0;
  for (const uint32_t g : leases) {
    const SlotGroup& group = state.slot_groups[g];
    if (offers_nothing(state, g)) continue;
    if (decides_by_demand(state, group) && ++asked > kLeasesMost) continue;
    slots += on_offer(state, group);
  }
  return slots;
}

/// Returns the slots that the consumer's waiting work may have on hosts that are being switched on.
/// Where the rule reads work, only those count that it would place there; beyond kLeasesMost leases
/// all.
int64_t waking_for(const State& state, uint32_t consumer) {
  int64_t slots = waking_slots_of(state, consumer);
  const int64_t most = most_on_host(state.clusters[consumer]);
  size_t asked = 0;
  for (const uint32_t g : state.clusters[consumer].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (!decides_by_demand(state, group) || group.members[kConsumer].cluster != consumer) continue;
    const int64_t waking = waking_slots(state, group);
    if (waking == 0 || ++asked > kLeasesMost) continue;
    slots -= waking;
    for (const auto& [row, placed] : given_by_demand(state, group, Asleep::waking)) {
      if (wakes(state, group, row)) slots += std::min<int64_t>(placed, most);
    }
  }
  return slots;
}

}  // namespace

std::vector<RowRef> lease_rows_to_wake(const State& state, uint32_t consumer, Instant now) {
  if (nobody_waits(state.clusters[consumer])) return {};
  const Leases leases = leases_of(state, consumer, now);
  if (leases.to_wake.empty()) return {};
  int64_t left = state.clusters[consumer].pending - waking_for(state, consumer) -
                 offered_by(state, leases.others);
  std::vector<int64_t> offered;
  for (const uint32_t g : leases.to_wake) {
    offered.push_back(on_offer(state, state.slot_groups[g]));
    left -= offered.back();
  }
  std::vector<RowRef> rows;
  for (size_t i = 0; i < leases.to_wake.size(); ++i) {
    const SlotGroup& group = state.slot_groups[leases.to_wake[i]];
    // The comparison of idle slots counts what the lease itself has.
    const int64_t wanted = left + offered[i] + waking_slots(state, group);
    for (const ForWork& one : hosts_for(state, group, left, wanted)) {
      left -= one.slots;
      rows.push_back({leases.to_wake[i], one.row});
    }
  }
  return rows;
}

}  // namespace leasehold
