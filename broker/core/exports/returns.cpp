#include "broker/core/exports/returns.hpp"

#include <algorithm>
#include <array>

#include "broker/core/ledger/export_counts.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

namespace {

/// The slots asked from both sides of a lease.
class BothAsked {
 public:
  explicit BothAsked(const SlotGroup& group)
      : group_(group), provider_(group, kProvider), consumer_(group, kConsumer) {}
  AskedRow from_consumer(uint32_t row) const { return consumer_.at(row); }
  bool is_split(uint32_t row) const {
    return leasehold::is_split(group_, row, provider_.wanted(row), consumer_.wanted(row));
  }
  /// True if both sides have a part of the host unless the consumer gives up all of its own.
  bool stays_split(uint32_t row) const {
    return leasehold::is_split(group_, row, provider_.wanted(row), 0);
  }

 private:
  const SlotGroup& group_;
  const AskedRows provider_;
  const AskedRows consumer_;
};

/// True if the row comes back because its host may not be split, whatever an operator wants.
bool brings_together(const State& state, const SlotGroup& group, uint32_t row,
                     const BothAsked& asked) {
  if (host_of(state, group, row).closed || !indivisible(state, group, row)) return false;
  return asked.is_split(row) || lends_no_part(state, group, row);
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
  const BothAsked asked(group);
  const bool together =
      all([&](uint32_t row) { return brings_together(state, group, row, asked); });
  if (together) return Reason::host_indivisible;
  const bool ordered = std::any_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    return is_closed(state, group, entry.first);
  });
  return ordered ? Reason::operator_order : Reason::draining;
}

/// Slots on their way to the consumer that it may no longer have, or has without them: asked for
/// and returned on one row at once they would go round and round.
void cancel_gifts(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (group.transfers.empty()) return;
  const AskedRows asked(group, kConsumer);
  for (const Transfer& transfer : group.transfers) {
    if (transfer.from != kProvider || transfer.lowering == wire::Lowering::release) continue;
    const bool refused =
        std::any_of(transfer.wanted.begin(), transfer.wanted.end(), [&](const auto& entry) {
          const int32_t keeps = group.at(entry.first, kConsumer).held - asked.wanted(entry.first);
          const int32_t cap = consumer_cap(turn.state, group, entry.first);
          return entry.second > 0 && keeps + entry.second > cap;
        });
    if (refused) return cancel_transfers(turn, index, kProvider, Reason::draining);
  }
}

/// Asked because the consumer may not hold it. What an evaluation or an offer asks back is no
/// matter of its cap: it comes whatever the consumer may have by now.
bool follows_cap(const Transfer& open) {
  constexpr std::array kOfCaps{Reason::draining,         Reason::cluster_draining,
                               Reason::host_down,        Reason::host_reserved,
                               Reason::host_indivisible, Reason::operator_order};
  return std::find(kOfCaps.begin(), kOfCaps.end(), open.reason) != kOfCaps.end();
}

/// Returns the slots of each row that are asked from the consumer because it may not hold them.
std::vector<int32_t> asked_by_caps(const SlotGroup& group) {
  std::vector<int32_t> asked(group.hosts.size(), 0);
  group.transfers.each_from(kConsumer, [&](const Transfer& open) {
    for (const auto& [row, slots] : open.wanted) asked[row] += follows_cap(open) ? slots : 0;
  });
  return asked;
}

/// Returns what the consumer must give up of the row. A host that both sides have a part of goes
/// home, to be lent as a whole.
int32_t surplus(const State& state, const SlotGroup& group, uint32_t row, const BothAsked& asked) {
  const bool all = moves_whole(state, group, row) && asked.stays_split(row);
  return group.at(row, kConsumer).held - (all ? 0 : consumer_cap(state, group, row));
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
                   const BothAsked& asked, const std::vector<int32_t>& by_caps, uint32_t row) {
  const int32_t excess = surplus(state, group, row, asked);
  const bool ends = excess > 0 && ends_work(state, group, kConsumer, row);
  const bool shrinks = open.lowering == wire::Lowering::shrink;
  if ((ends && shrinks) || drained_before(state, group, open)) return Reason::operator_order;
  // The rest of the row must shrink at once, so that no work begins there, and a row has one way
  // of lowering at a time.
  if (!ends && !shrinks && excess > asked.from_consumer(row).wanted) {
    return return_reason(state, group, {{row, excess}});
  }
  if (!follows_cap(open)) return Reason::none;
  if (by_caps[row] > excess) {
    // After a hello it is not yet known whether a host is down, and where its owner calls it down
    // too the consumer keeps the slots.
    if (is_ordered(open)) return Reason::operator_order;
    const bool down = open.reason == Reason::host_down && !group.at(row, kConsumer).up;
    return down ? Reason::host_down : Reason::at_quota;
  }
  if (ends == shrinks) return Reason::operator_order;
  return outlives_cause(state, group, open) ? return_reason(state, group, {{row, excess}})
                                            : Reason::none;
}

Reason outdated_by(const State& state, const SlotGroup& group, const Transfer& open,
                   const BothAsked& asked, const std::vector<int32_t>& by_caps) {
  for (const auto& [row, slots] : open.wanted) {
    if (slots > 0 && asks_a_part(state, group, row, asked.from_consumer(row).wanted)) {
      return Reason::host_indivisible;
    }
  }
  for (const auto& [row, slots] : open.wanted) {
    if (slots <= 0) continue;
    const Reason reason = outdated_by(state, group, open, asked, by_caps, row);
    if (reason != Reason::none) return reason;
  }
  return Reason::none;
}

/// Withdraws what is asked from the consumer too much, or otherwise than is due.
void call_off_outdated(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (group.transfers.empty()) return;
  const BothAsked asked(group);
  const std::vector<int32_t> by_caps = asked_by_caps(group);
  std::vector<std::pair<uint64_t, Reason>> outdated;
  for (const Transfer& open : group.transfers) {
    if (open.from != kConsumer || open.lowering == wire::Lowering::release) continue;
    const Reason reason = outdated_by(turn.state, group, open, asked, by_caps);
    if (reason != Reason::none) outdated.emplace_back(open.id, reason);
  }
  cancel_transfers(turn, index, kConsumer, outdated);
}

/// Contract: call_off_outdated() came first, so that a row has one way of lowering.
void return_above_cap(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  Wanted shrink;
  Wanted reclaim;
  const BothAsked asked(group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const int32_t excess = surplus(turn.state, group, row, asked) - asked.from_consumer(row).wanted;
    if (excess <= 0) continue;
    const bool ends = ends_work(turn.state, group, kConsumer, row);
    (ends ? reclaim : shrink).emplace_back(row, excess);
  }
  for (auto& [lowering, wanted] :
       {std::pair{wire::Lowering::shrink, &shrink}, std::pair{wire::Lowering::reclaim, &reclaim}}) {
    if (wanted->empty()) continue;
    const Reason reason = return_reason(turn.state, turn.group(index), *wanted);
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
    cancel_gifts(turn, index);
    call_off_outdated(turn, index);
    return_above_cap(turn, index);
  }
  drop_surplus_exports(turn, index);
  close_if_empty(turn, index);
}

}  // namespace leasehold
