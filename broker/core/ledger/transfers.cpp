#include "broker/core/ledger/transfers.hpp"

#include <algorithm>

#include "broker/core/ledger/claims.hpp"
#include "broker/core/ledger/export_counts.hpp"
#include "broker/core/ledger/finished.hpp"
#include "broker/core/ledger/host_sets.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/ledger/overdue.hpp"
#include "broker/core/ledger/transfer_end.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/model/turn/lease_dues.hpp"
#include "common/canary.hpp"
#include "common/check.hpp"

namespace leasehold {

void start_transfer(Turn& turn, uint32_t index, TransferOrder order) {
  SlotGroup& group = turn.group(index);
  Transfer transfer;
  transfer.id = turn.state.transfer_next++;
  transfer.from = order.from;
  transfer.to = order.to;
  transfer.lowering = order.lowering;
  transfer.reason = order.reason;
  transfer.inactive = order.inactive;
  transfer.grace_ms = order.grace_ms;
  transfer.slots_wanted = slots_of(order.wanted);
  transfer.since = turn.now;
  transfer.wanted = std::move(order.wanted);
  const Instant deadline = return_deadline(turn.state, group, transfer);
  if (deadline != kNever && !LEASEHOLD_CANARY(no_transfer_timeout)) {
    set_deadline(turn.state, index, transfer, deadline);
  }
  move_dues(group, transfer);
  const Transfer& open = group.transfers.push_back(std::move(transfer));
  mark_for_return_check(group, order.from);
  if (order.inactive) set_phase(turn, index, Phase::inactive);
  record_transfer(turn, RecordKind::transfer_started, index, open, order.reason).slots =
      open.slots_wanted;
  if (LEASEHOLD_CANARY(grants_before_release) && order.from == kProvider) {
    for (const auto& [row, slots] : open.wanted) {
      group.at(row, order.from).held -= slots;
      group.at(row, order.to).held += slots;
    }
    issue_order(turn, index, order.to);
  }
  issue_order(turn, index, order.from);
  touch_group(turn, index);
}

void start_return(Turn& turn, uint32_t index, wire::Lowering lowering, Reason reason,
                  Wanted wanted) {
  if (wanted.empty()) return;
  TransferOrder order;
  order.from = kConsumer;
  order.to = kProvider;
  order.lowering = lowering;
  order.reason = reason;
  order.inactive = false;
  order.wanted = std::move(wanted);
  start_transfer(turn, index, std::move(order));
}

namespace {

/// Returns the rows of a release among those that a statement gave slots up of. Contract: as
/// take_released().
Wanted came_of(const Transfer& transfer, const Wanted& released) {
  Wanted came;
  if (transfer.lowering != wire::Lowering::release) return came;
  for (const auto& [row, slots] : transfer.wanted) {
    const auto at = std::lower_bound(released.begin(), released.end(), std::pair{row, INT32_MIN});
    if (at != released.end() && at->first == row) came.push_back(*at);
  }
  return came;
}

/// Takes what was released on the transfer's rows off what it wants. Returns the slots. `shared`:
/// of a plan, where several transfers of one member may name a row: what one took the next has not.
/// Contract: `released` names each row once, in ascending order.
int32_t take_released(Transfer& transfer, Wanted& released, bool shared) {
  int32_t taken = 0;
  for (auto& [row, slots] : transfer.wanted) {
    const auto found = std::lower_bound(
        released.begin(), released.end(), row,
        [](const auto& entry, uint32_t wanted_row) { return entry.first < wanted_row; });
    if (found == released.end() || found->first != row) continue;
    const int32_t part = shared ? std::min(slots, found->second) : found->second;
    taken += part;
    slots = std::max(0, slots - part);
    if (shared) found->second -= part;
  }
  transfer.slots_released += taken;
  return taken;
}

void record_flip(Turn& turn, uint32_t index, const Transfer& transfer) {
  SlotGroup& group = turn.group(index);
  Record& row = record_transfer(turn, RecordKind::flip, index, transfer, transfer.reason);
  row.numbers = group.numbers;
  group.last_flip = turn.now;
  ++group.flips;
}

/// Nothing more is asked for; only rows whose slots are in transfer still matter.
void keep_released_rows(SlotGroup& group, Transfer& transfer) {
  Wanted rows;
  for (const auto& [row, slots] : transfer.wanted) {
    if (group.hosts[row].in_transfer > 0) rows.emplace_back(row, 0);
  }
  transfer.wanted = std::move(rows);
}

/// The only answer to a release: what came (by row) is all that will come. `recorded`: it was
/// answered, and recorded so, before a restart.
void release_answered(Turn& turn, uint32_t index, Transfer& transfer, const Wanted& came,
                      Reason if_nothing, bool recorded = false) {
  transfer.slots_released = raise_dues(turn.state, turn.group(index), transfer, came);
  if (transfer.slots_released == 0) {
    return fail_transfer(turn, index, transfer.id, if_nothing);
  }
  keep_released_rows(turn.group(index), transfer);
  if (recorded) return;
  transfer.deadline = kNever;  // from here on it waits for a taker, not for an answer
  record_flip(turn, index, transfer);
  record_transfer(turn, RecordKind::transfer_released, index, transfer, transfer.reason);
}

/// Moves one transfer from `member` on after its statement.
void released_by_loser(Turn& turn, uint32_t index, uint64_t id, Wanted& released) {
  SlotGroup& group = turn.group(index);
  Transfer* transfer = group.transfers.find(id);
  const bool answered = transfer->slots_released > 0;  // a release: it waits for a taker only
  const Wanted came = came_of(*transfer, released);
  const int32_t taken = take_released(*transfer, released, group.resource_group != kNoIndex);
  if (transfer->lowering == wire::Lowering::release && !answered) {
    return release_answered(turn, index, *transfer, came, Reason::nothing_released);
  }
  if (taken == 0) return;
  record_transfer(turn, RecordKind::transfer_released, index, *transfer, transfer->reason).slots =
      taken;
}

/// Shrinks and reclaims end when all that they want has come and been handed over.
void close_finished(Turn& turn, uint32_t index, size_t member) {
  for (const uint64_t id : finished_transfers(turn.group(index), member)) {
    close_transfer(turn, index, id, RecordKind::transfer_done, Reason::none);
  }
}

std::vector<uint64_t> open_transfers(const SlotGroup& group, size_t member) {
  std::vector<uint64_t> ids;
  group.transfers.each_from(member, [&ids](const Transfer& transfer) {
    if (transfer.step == TransferStep::releasing) ids.push_back(transfer.id);
  });
  return ids;
}

/// Only what a release brought waits for a winner.
std::vector<uint64_t> granted_to(const SlotGroup& group, size_t member) {
  std::vector<uint64_t> ids;
  if (group.phase == Phase::active) return ids;  // no release is open
  for (const Transfer& transfer : group.transfers) {
    const bool granting = transfer.step == TransferStep::granting;
    if (granting && transfer.to == member) ids.push_back(transfer.id);
  }
  return ids;
}

}  // namespace

void follow_statement(Turn& turn, uint32_t index, size_t member, Wanted released) {
  const std::vector<uint32_t> relieved = renominate(turn, index, member, released);
  const std::vector<uint64_t> granted = granted_to(turn.group(index), member);
  const std::vector<uint64_t> open = open_transfers(turn.group(index), member);
  std::sort(released.begin(), released.end());  // a statement may name its rows in any order
  for (uint64_t id : open) released_by_loser(turn, index, id, released);
  for (const uint64_t id : granted) {
    give_back_dues(turn.group(index), *turn.group(index).transfers.find(id));
  }
  // Several transfers may have asked for the same slots of a row.
  if (!released.empty() || !granted.empty()) bound_dues(turn.group(index));
  // Before the winner's transfer closes: what it did not take goes back, and a part of a host.
  const bool parts = !open.empty() && any_moves_whole(turn.state, turn.group(index));
  hand_out_in_transfer(turn, index, parts ? HandOut::all : HandOut::named);
  for (uint64_t id : granted) {
    close_transfer(turn, index, id, RecordKind::transfer_done, Reason::none);
  }
  close_finished(turn, index, member);
  const uint32_t cluster = turn.group(index).members[member].cluster;
  for (const uint32_t other : relieved) {
    close_finished(turn, other, member_of(turn.group(other), cluster));
  }
}

namespace {

/// Grants every row that has a taker; fills who got how much.
void grant_rows(Turn& turn, uint32_t index, HandOut which, Granted& granted) {
  const SlotGroup& group = turn.group(index);
  if (group.resource_group == kNoIndex) {
    return grant_lease(turn, index, which == HandOut::all, granted);
  }
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.hosts[row].in_transfer > 0) grant_dues(turn, index, row, granted);
  }
}

/// A release whose slots were handed over waits for its winner; one whose slots went back failed.
void releases_granted(Turn& turn, uint32_t index, const Granted& granted) {
  if (turn.group(index).phase == Phase::active) return;  // no release is open
  std::vector<uint64_t> failed;
  for (Transfer& transfer : turn.group(index).transfers) {
    const bool answered = transfer.lowering == wire::Lowering::release &&
                          transfer.step == TransferStep::releasing && transfer.slots_released > 0;
    if (!answered || !(granted.contains(transfer.to) || granted.contains(transfer.from))) continue;
    if (!granted.contains(transfer.to)) {
      failed.push_back(transfer.id);
      continue;
    }
    transfer.step = TransferStep::granting;
    set_deadline(turn.state, index, transfer, turn.now + turn.state.config.transfer_timeout_ms);
  }
  for (uint64_t id : failed) fail_transfer(turn, index, id, Reason::winner_lost);
}

void record_granted(Turn& turn, uint32_t index, size_t member, int32_t slots) {
  const SlotGroup& group = turn.group(index);
  Record& row = record(turn, RecordKind::transfer_granted, index, group.reason);
  row.member = static_cast<uint32_t>(member);
  row.to = group.members[member].cluster;
  row.slots = slots;
}

}  // namespace

void record_and_order_grants(Turn& turn, uint32_t index, const Granted& granted) {
  for (const auto& [m, slots] : granted) {
    record_granted(turn, index, m, slots);
    auto& demand = turn.group(index).demand;
    if (demand && demand->grant.to == m) {  // usable from now on, with what was kept beside it
      for (demand_aware::Grant& one : demand->earlier) {
        if (one.shapes.empty() && one.at == demand->grant.at) one.at = turn.now;
      }
      demand->grant.at = turn.now;
    }
  }
  releases_granted(turn, index, granted);
  drop_surplus_exports(turn, index);
  for (const auto& [m, slots] : granted) issue_order(turn, index, m);
  group_changed(turn, index);
}

void hand_out_in_transfer(Turn& turn, uint32_t index, HandOut which) {
  SlotGroup& group = turn.group(index);
  const bool breach = group.breach && !LEASEHOLD_CANARY(ignores_breach);
  if (group.quarantined || breach || in_transfer(group) == 0) return;
  Granted granted;
  grant_rows(turn, index, which, granted);
  if (granted.empty() && any_moves_whole(turn.state, group)) {
    return;  // the rest of a host is waited for
  }
  record_and_order_grants(turn, index, granted);
}

void timed_out(Turn& turn, uint32_t index, uint64_t id) {
  SlotGroup& group = turn.group(index);
  Transfer* found = group.transfers.find(id);
  if (found->lowering == wire::Lowering::reclaim) return overdue(turn, index, *found);
  const bool releasing = found->step == TransferStep::releasing;
  const size_t side = releasing ? found->from : found->to;
  if (releasing) {
    fail_transfer(turn, index, id, Reason::transfer_timeout);
  } else {
    close_transfer(turn, index, id, RecordKind::transfer_done, Reason::transfer_timeout);
  }
  for (uint32_t row = 0; row < group.hosts.size(); ++row) group.at(row, side).confirmed = false;
  issue_order(turn, index, side);
}

void member_lost(Turn& turn, uint32_t index, size_t member) {
  for (uint64_t id : open_transfers(turn.group(index), member)) {
    SlotGroup& group = turn.group(index);
    Transfer* found = group.transfers.find(id);
    // A shrink waits for the agent to come back: its hello is answered with the same targets.
    if (found->lowering != wire::Lowering::release) continue;
    fail_transfer(turn, index, id, Reason::report_missing);
  }
  for (uint64_t id : granted_to(turn.group(index), member)) {
    close_transfer(turn, index, id, RecordKind::transfer_done, Reason::winner_lost);
  }
}

void resolve_release(Turn& turn, uint32_t index, uint64_t id) {
  SlotGroup& group = turn.group(index);
  Transfer* found = group.transfers.find(id);
  if (found->step == TransferStep::granting) {
    give_back_dues(group, *found);
    return set_deadline(turn.state, index, *found,
                        turn.now + turn.state.config.transfer_timeout_ms);
  }
  Wanted came;
  for (const auto& [row, slots] : found->wanted) {
    const int32_t in_transfer = group.hosts[row].in_transfer;
    if (in_transfer > 0) came.emplace_back(row, in_transfer);
  }
  release_answered(turn, index, *found, came, Reason::report_missing, found->slots_released > 0);
}

void cancel_transfers(Turn& turn, uint32_t index, size_t member, Reason reason) {
  std::vector<std::pair<uint64_t, Reason>> all;
  turn.group(index).transfers.each_from(member, [&](const Transfer& open) {
    if (open.lowering != wire::Lowering::release) all.emplace_back(open.id, reason);
  });
  cancel_transfers(turn, index, member, all);
}

void cancel_transfers(Turn& turn, uint32_t index, size_t member,
                      const std::vector<std::pair<uint64_t, Reason>>& open) {
  SlotGroup& group = turn.group(index);
  for (const auto& [id, reason] : open) {
    // The new limit may equal its use. It is still sent, or the agent would go on lowering.
    for (const auto& [row, slots] : group.transfers.find(id)->wanted) {
      if (slots > 0) group.at(row, member).confirmed = false;
    }
  }
  for (const auto& [id, reason] : open) {
    close_transfer(turn, index, id, RecordKind::transfer_failed, reason);
  }
  if (open.empty()) return;
  // Nothing brings any more what was offered, or takes what was asked back.
  if (!LEASEHOLD_CANARY(keeps_failed_dues)) bound_dues(group);
  issue_order(turn, index, member);
}

}  // namespace leasehold
