#include "broker/core/exports/offer.hpp"

#include <algorithm>

#include "broker/core/ledger/dues.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/rules/exclusive.hpp"
#include "common/canary.hpp"

namespace leasehold {

int32_t movable(const State& state, const SlotGroup& group, uint32_t row, const LeaseAsked& asked) {
  if (!common_up(group, row)) return 0;
  const int32_t room =
      exclusive_missing(consumer_cap(state, group, row), asked.due_bounds(row).most);
  const int32_t there = group.at(row, kProvider).held - asked.from_provider(row).wanted;
  const int32_t both = std::max(0, std::min(room, there));
  return moves_whole(state, group, row) && both < group.hosts[row].exported ? 0 : both;
}

namespace {

/// Returns the slots that the consumer is due, or may become due, on hosts where it can use them.
int32_t offered_slots(const State& state, const SlotGroup& group, const LeaseAsked& asked) {
  int32_t sum = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (!common_up(group, row)) continue;
    sum += std::min(asked.due_bounds(row).most, consumer_cap(state, group, row));
  }
  return sum;
}

void give(Turn& turn, uint32_t index, Reason reason, Wanted wanted) {
  if (wanted.empty()) return;
  if (LEASEHOLD_CANARY(first_slot_without_transfer)) {
    for (const auto& [row, slots] : wanted) {
      turn.group(index).at(row, kProvider).held -= slots;
      turn.group(index).at(row, kConsumer).held += slots;
    }
    for (size_t m = 0; m < 2; ++m) issue_order(turn, index, m);
    return group_changed(turn, index);
  }
  TransferOrder order;
  order.from = kProvider;
  order.to = kConsumer;
  order.lowering = wire::Lowering::shrink;
  order.reason = reason;
  order.inactive = false;
  order.wanted = std::move(wanted);
  if (reason == Reason::offered) record(turn, RecordKind::lease_offered, index, reason);
  start_transfer(turn, index, std::move(order));
}

/// The slot lies on a host that failed: it goes home, so that another can be offered.
void take_back_stranded(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  Wanted stranded;
  const AskedRows asked(group, kConsumer);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const int32_t slots = group.at(row, kConsumer).held - asked.wanted(row);
    if (slots > 0 && !common_up(group, row)) stranded.emplace_back(row, slots);
  }
  start_return(turn, index, wire::Lowering::shrink, Reason::offered, std::move(stranded));
}

/// A lease that is not made yet does not wait for a whole host on which the provider's work runs.
bool comes_too_late(const State& state, const SlotGroup& group, uint32_t row) {
  return moves_whole(state, group, row) && group.at(row, kProvider).used > 0;
}

void withdraw_failed_offers(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  // Before a lease is made all transfers from its provider are offers.
  for (const Transfer& transfer : group.transfers) {
    if (transfer.from != kProvider) continue;
    for (const auto& [row, slots] : transfer.wanted) {
      if (slots > 0 && (!common_up(group, row) || comes_too_late(turn.state, group, row))) {
        return cancel_transfers(turn, index, kProvider, Reason::no_common_host);
      }
    }
  }
}

void offer_first_slots(Turn& turn, uint32_t index) {
  State& state = turn.state;
  withdraw_failed_offers(turn, index);
  const SlotGroup& group = turn.group(index);
  const LeaseAsked asked(group);
  int32_t missing =
      state.policies[group.policy].config.initial_slots - offered_slots(state, group, asked);
  Wanted wanted;
  for (uint32_t row = 0; row < group.hosts.size() && missing > 0; ++row) {
    const int32_t most = movable(state, group, row, asked);
    const int32_t wanted_already = asked.from_provider(row).wanted;
    const bool idle = idle_there(state, group, kProvider, row, wanted_already) > 0;
    const bool whole = moves_whole(state, group, row);
    const int32_t slots = !whole ? std::min(missing, most) : idle ? most : 0;
    if (slots <= 0) continue;
    wanted.emplace_back(row, slots);
    missing -= slots;
  }
  if (missing <= 0) take_back_stranded(turn, index);
  give(turn, index, Reason::offered, std::move(wanted));
}

void offer_all(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  Wanted wanted;
  const LeaseAsked asked(group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const int32_t slots = movable(turn.state, group, row, asked);
    if (slots > 0) wanted.emplace_back(row, slots);
  }
  give(turn, index, Reason::exclusive_due, std::move(wanted));
}

bool may_offer(const State& state, const SlotGroup& group) {
  if (group.quarantined || group.breach || state.frozen || state.config.mode == Mode::observe) {
    return false;
  }
  const bool both = current(state, group, kProvider) && current(state, group, kConsumer);
  return both && can_fence(state, group);
}

}  // namespace

void offer_for_work(Turn& turn, uint32_t index, Wanted wanted) {
  give(turn, index, Reason::consumer_waits, std::move(wanted));
}

bool has_shortfall(const State& state, const SlotGroup& group) {
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.at(row, kConsumer).held < consumer_cap(state, group, row)) return true;
  }
  return false;
}

int32_t movable_shortfall(const State& state, const SlotGroup& group) {
  int32_t sum = 0;
  const LeaseAsked asked(group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    sum += movable(state, group, row, asked);
  }
  return sum;
}

bool can_fence(const State& state, const SlotGroup& group) {
  const ExportPolicy& policy = state.policies[group.policy].config;
  const wire::Fences& fences = state.clusters[group.members[kProvider].cluster].fences;
  return (policy.mem_mb == 0 || fences.memory) && (policy.swap_mb == 0 || fences.swap);
}

void offer(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (group.resource_group != kNoIndex) return hand_out_unallocated(turn, index);
  const bool open = group.phase == Phase::offered || group.phase == Phase::active;
  if (!open) return;
  const bool all = is_exclusive(turn.state.policies[group.policy].config.type);
  if (!all && group.phase != Phase::offered) return;
  if (!may_offer(turn.state, group)) return;
  all ? offer_all(turn, index) : offer_first_slots(turn, index);
}

}  // namespace leasehold
