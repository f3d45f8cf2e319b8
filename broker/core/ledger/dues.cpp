#include "broker/core/ledger/dues.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "broker/core/ledger/claims.hpp"
#include "broker/core/ledger/clamp_dues.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"

namespace leasehold {

namespace {

/// Slots of the provider that leave the group at once (drop_surplus_exports), and whose use is not
/// known.
int32_t not_asked_back(const HostLedger& row) {
  return std::max(0, row.exported - row.target - row.unallocated) + row.just_exported;
}

/// Returns the slots of a row that the member must give up.
int32_t surplus(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  int32_t slots = group.at(row, member).held - member_cap(state, group, member, row);
  if (member == kProvider) slots -= not_asked_back(group.hosts[row]);
  return std::max(0, slots);
}

/// EGO's way of switching a policy: slots go back first, even to come again
/// (broker/rules/plan/README.md, "Windows").
bool goes_back_anyway(const Transfer& transfer) {
  return transfer.reason == Reason::policy_switch;
}

/// Returns the slots of each row that are asked from the member: those that go back anyway, or the
/// others.
std::vector<int32_t> asked_of(const SlotGroup& group, size_t member, bool anyway) {
  std::vector<int32_t> asked(group.hosts.size(), 0);
  group.transfers.each_from(member, [&](const Transfer& transfer) {
    if (goes_back_anyway(transfer) != anyway) return;
    for (const auto& [row, slots] : transfer.wanted) asked[row] += slots;
  });
  return asked;
}

/// True if slots are asked from the member that it may keep by now.
bool asks_too_much(const State& state, const SlotGroup& group, size_t member) {
  const std::vector<int32_t> asked = asked_of(group, member, false);
  const std::vector<int32_t> anyway = asked_of(group, member, true);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (asked[row] == 0) continue;
    if (asked[row] + anyway[row] > surplus(state, group, member, row)) return true;
  }
  return false;
}

/// Returns why, if a shrink asks for slots that are to be taken from running work by now, or says
/// that a cluster drains which does no longer; else Reason::none.
Reason shrinks_otherwise(const State& state, const SlotGroup& group, size_t member) {
  Reason why = Reason::none;
  group.transfers.each_from(member, [&](const Transfer& open) {
    if (open.lowering != wire::Lowering::shrink) return;
    if (drained_before(state, group, open)) why = Reason::operator_order;
    for (const auto& [row, slots] : open.wanted) {
      if (slots <= 0 || why != Reason::none || surplus(state, group, member, row) == 0) continue;
      why = why_work_ends(state, group, member, row);
    }
  });
  return why;
}

/// The reclaim was begun for a reservation, and work need not end for one any more on any host that
/// slots are to come from.
bool outlives_reservation(const State& state, const SlotGroup& group, const Transfer& open) {
  if (open.reason != Reason::host_reserved || !reclaims(open)) return false;
  if (has_all_it_wants(open)) return false;
  return std::none_of(open.wanted.begin(), open.wanted.end(), [&](const auto& entry) {
    return entry.second > 0 && ends_work(state, group, open.from, entry.first);
  });
}

bool any_outlives_reservation(const State& state, const SlotGroup& group, size_t member) {
  bool any = false;
  group.transfers.each_from(
      member, [&](const Transfer& open) { any = any || outlives_reservation(state, group, open); });
  return any;
}

/// Parts of reclaims that remain wanted after their member's dues rose. They are opened again, so
/// that work which is being ended goes on ending.
std::vector<PlanReclaim> still_reclaimed(const State& state, const SlotGroup& group,
                                         size_t member) {
  std::map<uint32_t, int32_t> left;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    left[row] = surplus(state, group, member, row);
  }
  std::vector<PlanReclaim> again;
  group.transfers.each_from(member, [&](const Transfer& open) {
    if (!reclaims(open) || outlives_reservation(state, group, open)) return;
    PlanReclaim reclaim{member, open.to, open.grace_ms, open.reason, {}};
    for (const auto& [row, slots] : open.wanted) {
      const int32_t part = goes_back_anyway(open) ? slots : std::min(slots, left[row]);
      left[row] -= part;
      if (part > 0) reclaim.wanted.emplace_back(row, part);
    }
    if (!reclaim.wanted.empty()) again.push_back(std::move(reclaim));
  });
  return again;
}

bool gives_up(const SlotGroup& group, size_t member) {
  bool any = false;
  group.transfers.each_from(member, [&any](const Transfer&) { any = true; });
  return any;
}

void drop_excess(Turn& turn, uint32_t index, size_t member) {
  if (!gives_up(turn.group(index), member)) return;
  const bool too_much = asks_too_much(turn.state, turn.group(index), member) ||
                        any_outlives_reservation(turn.state, turn.group(index), member);
  const Reason otherwise = shrinks_otherwise(turn.state, turn.group(index), member);
  if (!too_much && otherwise == Reason::none) return;
  keep_reclaims(turn, index, member, too_much ? Reason::at_quota : otherwise);
}

void start(Turn& turn, uint32_t index, size_t from, size_t to, wire::Lowering lowering,
           Reason reason, Wanted wanted, int64_t grace_ms = 0) {
  if (wanted.empty()) return;
  TransferOrder order;
  order.from = static_cast<uint16_t>(from);
  order.to = static_cast<uint16_t>(to);
  order.lowering = lowering;
  order.reason = reason;
  order.inactive = false;
  order.grace_ms = grace_ms;
  order.wanted = std::move(wanted);
  start_transfer(turn, index, std::move(order));
}

/// True if the host may not be split, and others hold some of it too.
bool shares_indivisible(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const HostLedger& ledger = group.hosts[row];
  const int32_t held = ledger.exported - ledger.in_transfer - ledger.unallocated;
  return held > group.at(row, member).held && indivisible(state, group, row);
}

Reason return_reason(const State& state, const SlotGroup& group, size_t member,
                     const Wanted& wanted) {
  if (group.phase == Phase::draining) return Reason::draining;
  if (cluster_drains(state, group, member)) return Reason::cluster_draining;
  if (group.members[member].window_ends) return Reason::draining;
  const bool together = std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    return shares_indivisible(state, group, member, entry.first);
  });
  if (together) return Reason::host_indivisible;
  const bool reserved = std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    return reserved_from(state, group, member, entry.first);
  });
  return reserved ? Reason::host_reserved : Reason::reclaim_quota;
}

/// Grace for work that ends because its host is closed so, or reserved.
int64_t grace_of_leaf(const State& state, const SlotGroup& group, size_t member) {
  const PlanConsumer* leaf = leaf_in_force(state, group, member);
  return leaf == nullptr ? 0 : leaf->reclaim_grace_ms;
}

/// Whoever is due slots of those rows, first by priority; where they go home the provider.
size_t first_claimant(const State& state, const SlotGroup& group, const Wanted& wanted) {
  if (group.phase == Phase::draining) return kProvider;
  size_t first = kNoMember;
  uint32_t priority = kNoIndex;
  for (const auto& [row, slots] : wanted) {
    for (const Claim& claim : claims_of(state, group, row)) {
      const uint32_t its = priority_of(state, group, claim.member);
      if (its >= priority) break;
      first = claim.member;
      priority = its;
    }
  }
  return first;
}

/// Returns the slots to ask of a row beyond those asked already.
int32_t to_ask(const State& state, const SlotGroup& group, size_t member, uint32_t row,
               const AskedRow& asked) {
  const int32_t excess = surplus(state, group, member, row);
  // A row has one kind of lowering at a time: an order says one.
  if (excess == 0 || (asked.nominated > 0 && !ends_work(state, group, member, row))) return 0;
  return excess - asked.wanted;
}

/// Ends the work in those slots.
void reclaim_rows(Turn& turn, uint32_t index, size_t member, Reason reason, Wanted wanted) {
  if (wanted.empty()) return;
  const int64_t grace_ms = grace_of_leaf(turn.state, turn.group(index), member);
  const size_t to = turn.group(index).phase == Phase::draining ? kProvider : kNoMember;
  start(turn, index, member, to, wire::Lowering::reclaim, reason, std::move(wanted), grace_ms);
}

void return_rows(Turn& turn, uint32_t index, size_t member) {
  const SlotGroup& group = turn.group(index);
  Wanted shrink;
  Wanted ordered;
  Wanted reserved;
  const AskedRows asked(group, member);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const int32_t more = to_ask(turn.state, group, member, row, asked.at(row));
    if (more <= 0) continue;
    const Reason why = why_work_ends(turn.state, group, member, row);
    const bool ends = why != Reason::none;
    Wanted& wanted = !ends ? shrink : why == Reason::host_reserved ? reserved : ordered;
    wanted.emplace_back(row, more);
  }
  if (!shrink.empty()) {
    const Reason reason = return_reason(turn.state, group, member, shrink);
    start(turn, index, member, first_claimant(turn.state, group, shrink), wire::Lowering::shrink,
          reason, shrink);
  }
  reclaim_rows(turn, index, member, Reason::operator_order, std::move(ordered));
  reclaim_rows(turn, index, member, Reason::host_reserved, std::move(reserved));
}

bool may_hand_out(const State& state, const SlotGroup& group) {
  const bool unhindered = !group.quarantined && !group.breach && !state.frozen;
  return unhindered && state.config.mode == Mode::lease && connected(state, group, kProvider);
}

}  // namespace

void reclaim_for_plan(Turn& turn, uint32_t index, const PlanReclaim& reclaim) {
  const size_t from = reclaim.from;
  const auto shrunk = [&] {
    const SlotGroup& group = turn.group(index);
    return std::any_of(reclaim.wanted.begin(), reclaim.wanted.end(), [&](const auto& entry) {
      return wanted_by(group, from, entry.first, wire::Lowering::shrink) > 0;
    });
  };
  if (shrunk()) keep_reclaims(turn, index, from, reclaim.reason);
  const SlotGroup& group = turn.group(index);
  TransferOrder order;
  for (const auto& [row, slots] : reclaim.wanted) {
    const int32_t most = reclaim.reason == Reason::policy_switch
                             ? group.at(row, from).held
                             : surplus(turn.state, group, from, row);
    const int32_t free = most - wanted_from(group, from, row);
    const int32_t part = std::min(slots, free);
    if (part > 0) order.wanted.emplace_back(row, part);
  }
  if (order.wanted.empty()) return;
  order.from = static_cast<uint16_t>(from);
  order.to = static_cast<uint16_t>(reclaim.to);
  order.lowering = wire::Lowering::reclaim;
  order.reason = reclaim.reason;
  order.inactive = false;
  order.grace_ms = reclaim.grace_ms;
  start_transfer(turn, index, std::move(order));
}

void shrink_for_plan(Turn& turn, uint32_t index, std::pair<size_t, size_t> from_to, Reason reason,
                     Wanted wanted) {
  start(turn, index, from_to.first, from_to.second, wire::Lowering::shrink, reason,
        std::move(wanted));
}

void keep_reclaims(Turn& turn, uint32_t index, size_t member, Reason reason) {
  const auto again = still_reclaimed(turn.state, turn.group(index), member);
  cancel_transfers(turn, index, member, reason);
  for (const PlanReclaim& reclaim : again) reclaim_for_plan(turn, index, reclaim);
}

void return_above_dues(Turn& turn, uint32_t index, MembersToCheck which) {
  raise_provider_due_to_use(turn, index);
  HoldingIndex& holdings = holding_index(turn.group(index));
  holdings.mark_for_return_check(kProvider);  // what is its own depends on more than its rows
  std::vector<uint32_t> members = holdings.take_unchecked();
  if (which == MembersToCheck::all) {
    members.resize(turn.group(index).members.size());
    std::iota(members.begin(), members.end(), uint32_t{kProvider});
  }
  for (const uint32_t m : members) {
    drop_excess(turn, index, m);
    return_rows(turn, index, m);
  }
}

void hand_out_unallocated(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (!may_hand_out(turn.state, group)) return;
  Granted granted;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.hosts[row].unallocated == 0 || !group.at(row, kProvider).up) continue;
    for (const Claim& claim : claims_of(turn.state, group, row)) {
      const int32_t slots = std::min(group.hosts[row].unallocated, claim.slots);
      if (slots == 0) break;
      grant_unallocated(turn, index, row, claim.member, slots);
      granted[claim.member] += slots;
    }
  }
  if (!granted.empty()) record_and_order_grants(turn, index, granted);
}

}  // namespace leasehold
