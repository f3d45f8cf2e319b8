#include "broker/core/exports/returns.hpp"

#include <algorithm>

#include "broker/core/ledger/export_counts.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/lease_asked.hpp"

namespace leasehold {

namespace {

/// True if the row comes back because its host may not be split, whatever an operator wants.
bool brings_together(const State& state, const SlotGroup& group, uint32_t row,
                     const LeaseAsked& asked) {
  if (host_of(state, group, row).closed || !indivisible(state, group, row)) return false;
  const bool split =
      is_split(group, row, asked.from_provider(row).wanted, asked.from_consumer(row).wanted);
  return split || lends_no_part(state, group, row);
}

/// True if an operator closed the host to the consumer.
bool is_closed(const State& state, const SlotGroup& group, uint32_t row) {
  const Host& host = host_of(state, group, row);
  const std::string& consumer = state.clusters[group.members[kConsumer].cluster].name;
  return host.closed || std::find(host.closed_for.begin(), host.closed_for.end(), consumer) !=
                            host.closed_for.end();
}

/// Returns the reason of a return: if no order of an operator takes the slots, a reload or an
/// export window wants fewer exported. Contract: something is wanted.
Reason return_reason(const State& state, const SlotGroup& group, const Wanted& wanted) {
  if (group.phase == Phase::draining) return Reason::draining;
  if (cluster_drains(state, group, kConsumer)) return Reason::cluster_draining;
  if (group.members[kConsumer].window_ends) return Reason::draining;
  const auto all = [&](const auto& is) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const auto& entry) { return is(entry.first); });
  };
  if (all([&](uint32_t row) { return down_there(state, group, kConsumer, row); })) {
    return Reason::host_down;
  }
  if (all([&](uint32_t row) { return reserved_from(state, group, kConsumer, row); })) {
    return Reason::host_reserved;
  }
  const LeaseAsked asked(group);
  const bool together =
      all([&](uint32_t row) { return brings_together(state, group, row, asked); });
  if (together) return Reason::host_indivisible;
  const bool ordered = std::any_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    return is_closed(state, group, entry.first);
  });
  return ordered ? Reason::operator_order : Reason::draining;
}

/// Returns the reason of a reclaim: an operator's order, or else reservations.
Reason reclaim_reason(const State& state, const SlotGroup& group, const Wanted& wanted) {
  const bool reserved = std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    return why_work_ends(state, group, kConsumer, entry.first) == Reason::host_reserved;
  });
  return reserved ? Reason::host_reserved : return_reason(state, group, wanted);
}

/// Withdraws what is offered beyond the consumer's cap: slots that are asked for and returned on
/// one row at once would go round and round.
void withdraw_offers(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  for (const Transfer& transfer : group.transfers) {
    if (transfer.from != kProvider || transfer.lowering == wire::Lowering::release) continue;
    const bool refused =
        std::any_of(transfer.wanted.begin(), transfer.wanted.end(), [&](const auto& entry) {
          const auto& [row, slots] = entry;
          return slots > 0 && group.at(row, kConsumer).due > consumer_cap(turn.state, group, row);
        });
    if (refused) return cancel_transfers(turn, index, kProvider, Reason::draining);
  }
}

/// Returns what the consumer must give up of the row. A host of which both sides would keep a part,
/// unless the consumer gives up all of its own, goes home, to be lent as a whole.
int32_t surplus(const State& state, const SlotGroup& group, uint32_t row, const LeaseAsked& asked) {
  const bool all =
      moves_whole(state, group, row) && is_split(group, row, asked.from_provider(row).wanted, 0);
  return group.at(row, kConsumer).held - (all ? 0 : due_within_cap(state, group, row));
}

/// True if a part is wanted of a host that moves as a whole, and its exports are not ending: they
/// were to, and a reload wants them after all. It would come back alone, and leave the host split.
bool asks_a_part(const State& state, const SlotGroup& group, uint32_t row, int32_t wanted) {
  const HostLedger& ledger = group.hosts[row];
  const bool part = wanted > 0 && wanted < group.at(row, kConsumer).held;
  return part && ledger.exported == ledger.target && moves_whole(state, group, row);
}

/// Only an operator's order asks back in this way, or for this reason. Contract: follows_cap().
bool is_ordered(const Transfer& open) {
  if (open.reason == Reason::host_reserved) return false;
  return open.lowering == wire::Lowering::reclaim || open.reason == Reason::operator_order ||
         open.reason == Reason::cluster_draining;
}

/// The return was begun for hosts that were down at the consumer, or reserved, and by now all are
/// up there, or none is reserved; its slots are due for another reason. A reclaim stays: begun
/// again, its deadline would be later.
bool outlives_cause(const State& state, const SlotGroup& group, const Transfer& open) {
  if (open.lowering != wire::Lowering::shrink) return false;
  return std::all_of(open.wanted.begin(), open.wanted.end(), [&](const auto& entry) {
    const auto& [row, slots] = entry;
    if (slots <= 0) return true;
    if (open.reason == Reason::host_down) return group.at(row, kConsumer).up;
    return open.reason == Reason::host_reserved && !reserved_from(state, group, kConsumer, row);
  });
}

/// Returns why the return is withdrawn, if it asks for slots of the row that the consumer may keep
/// by now, or in another way or for another reason than is due; else Reason::none.
Reason outdated_by(const State& state, const SlotGroup& group, const Transfer& open,
                   const LeaseAsked& asked, uint32_t row) {
  const int32_t excess = surplus(state, group, row, asked);
  const Reason why_ends = why_work_ends(state, group, kConsumer, row);
  const bool ends = excess > 0 && why_ends != Reason::none;
  const bool shrinks = open.lowering == wire::Lowering::shrink;
  if (drained_before(state, group, open)) return Reason::operator_order;
  if (ends && shrinks) return why_ends;
  // The rest of the row must shrink at once, so that no work begins there, and a row has one way
  // of lowering at a time.
  const AskedRow all = asked.from_consumer(row);
  if (!ends && !shrinks && excess > all.wanted) {
    return return_reason(state, group, {{row, excess}});
  }
  if (!follows_cap(open.reason)) return Reason::none;
  if (all.wanted - all.by_release > excess) {
    // After a hello it is not yet known whether a host is down, and where its owner calls it down
    // too the consumer keeps the slots.
    if (is_ordered(open)) return Reason::operator_order;
    const bool down = open.reason == Reason::host_down && !group.at(row, kConsumer).up;
    return down ? Reason::host_down : Reason::at_quota;
  }
  if (ends == shrinks) {
    return is_ordered(open) ? Reason::operator_order : return_reason(state, group, {{row, excess}});
  }
  return outlives_cause(state, group, open) ? return_reason(state, group, {{row, excess}})
                                            : Reason::none;
}

Reason outdated_by(const State& state, const SlotGroup& group, const Transfer& open,
                   const LeaseAsked& asked) {
  for (const auto& [row, slots] : open.wanted) {
    if (slots > 0 && asks_a_part(state, group, row, asked.from_consumer(row).wanted)) {
      return Reason::host_indivisible;
    }
  }
  for (const auto& [row, slots] : open.wanted) {
    if (slots <= 0) continue;
    const Reason reason = outdated_by(state, group, open, asked, row);
    if (reason != Reason::none) return reason;
  }
  return Reason::none;
}

/// Withdraws what is asked from the consumer too much, or otherwise than is due.
void call_off_outdated(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (group.transfers.empty()) return;
  const LeaseAsked asked(group);
  std::vector<std::pair<uint64_t, Reason>> outdated;
  for (const Transfer& open : group.transfers) {
    if (open.from != kConsumer || open.lowering == wire::Lowering::release) continue;
    const Reason reason = outdated_by(turn.state, group, open, asked);
    if (reason != Reason::none) outdated.emplace_back(open.id, reason);
  }
  cancel_transfers(turn, index, kConsumer, outdated);
}

/// Contract: call_off_outdated() came first, so that a row has one way of lowering.
void return_above_cap(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  Wanted shrink;
  Wanted reclaim;
  const LeaseAsked asked(group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const int32_t excess = surplus(turn.state, group, row, asked) - asked.from_consumer(row).wanted;
    if (excess <= 0) continue;
    const bool ends = ends_work(turn.state, group, kConsumer, row);
    (ends ? reclaim : shrink).emplace_back(row, excess);
  }
  for (auto& [lowering, wanted] :
       {std::pair{wire::Lowering::shrink, &shrink}, std::pair{wire::Lowering::reclaim, &reclaim}}) {
    if (wanted->empty()) continue;
    const bool ends = lowering == wire::Lowering::reclaim;
    const Reason reason = ends ? reclaim_reason(turn.state, turn.group(index), *wanted)
                               : return_reason(turn.state, turn.group(index), *wanted);
    start_return(turn, index, lowering, reason, std::move(*wanted));
  }
}

}  // namespace

void ask_back(Turn& turn, uint32_t index, MembersToCheck members) {
  const SlotGroup& group = turn.group(index);
  if (group.quarantined || turn.state.frozen || group.phase == Phase::closed) return;
  if (group.resource_group != kNoIndex) {
    return_above_dues(turn, index, members);
  } else {
    withdraw_offers(turn, index);
    call_off_outdated(turn, index);
    return_above_cap(turn, index);
  }
  drop_surplus_exports(turn, index);
  close_if_empty(turn, index);
}

}  // namespace leasehold
