#include "broker/core/exports/returns.hpp"

#include <algorithm>

#include "broker/core/ledger/export_counts.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/asked_rows.hpp"
#include "broker/core/model/hosts.hpp"

namespace leasehold {

namespace {

/// The slots asked from both sides of a lease.
class BothAsked {
 public:
  explicit BothAsked(const SlotGroup& group)
      : group_(group), provider_(group, kProvider), consumer_(group, kConsumer) {}
  int32_t from_consumer(uint32_t row) const { return consumer_.wanted(row); }
  bool is_split(uint32_t row) const {
    return leasehold::is_split(group_, row, provider_.wanted(row), consumer_.wanted(row));
  }

 private:
  const SlotGroup& group_;
  const AskedRows provider_;
  const AskedRows consumer_;
};

/// The row comes back because its host may not be split, whatever an operator wants.
bool brings_together(const State& state, const SlotGroup& group, uint32_t row,
                     const BothAsked& asked) {
  if (host_of(state, group, row).closed || !indivisible(state, group, row)) return false;
  return asked.is_split(row) || lends_no_part(state, group, row);
}

/// An operator closed the host to the consumer.
bool is_closed(const State& state, const SlotGroup& group, uint32_t row) {
  const Host& host = host_of(state, group, row);
  const std::string& consumer = state.clusters[group.members[kConsumer].cluster].name;
  return host.closed || std::find(host.closed_for.begin(), host.closed_for.end(), consumer) !=
                            host.closed_for.end();
}

/// If no order of an operator takes the slots, a reload or an export window wants fewer
/// exported. Contract: something is wanted.
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

/// A part is wanted of a host that moves as a whole, and its exports are not ending: they were to,
/// and a reload wants them after all.
bool asked_in_part(const SlotGroup& group, uint32_t row, int32_t wanted) {
  const HostLedger& ledger = group.hosts[row];
  return ledger.exported == ledger.target && wanted > 0 && wanted < group.at(row, kConsumer).held;
}

/// Cancels the consumer's returns if one of them asks for a part of such a host: the part would
/// come back alone, and leave the host split.
void call_off_parts(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (group.transfers.empty()) return;
  const AskedRows asked(group, kConsumer);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (!asked_in_part(group, row, asked.wanted(row)) || !moves_whole(turn.state, group, row))
      continue;
    return cancel_transfers(turn, index, kConsumer, Reason::host_indivisible);
  }
}

void return_above_cap(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  Wanted shrink;
  Wanted reclaim;
  const BothAsked asked(group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const int32_t keeps = group.at(row, kConsumer).held - asked.from_consumer(row);
    if (keeps <= 0) continue;
    // A host that both sides have a part of goes home, to be lent as a whole.
    const bool all = moves_whole(turn.state, group, row) && asked.is_split(row);
    const int32_t excess = keeps - (all ? 0 : consumer_cap(turn.state, group, row));
    if (excess <= 0) continue;
    (host_of(turn.state, group, row).closed_reclaim ? reclaim : shrink).emplace_back(row, excess);
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
    call_off_parts(turn, index);
    return_above_cap(turn, index);
  }
  drop_surplus_exports(turn, index);
  close_if_empty(turn, index);
}

void call_off_returns(Turn& turn, uint32_t index) {
  const bool plan = turn.group(index).resource_group != kNoIndex;
  for (size_t m = kProvider + 1; m < turn.group(index).members.size(); ++m) {
    plan ? keep_reclaims(turn, index, m, Reason::operator_order)
         : cancel_transfers(turn, index, m, Reason::operator_order);
  }
}

void replan_group(Turn& turn, uint32_t index) {
  call_off_returns(turn, index);
  turn.marks.add(index, Cause::caps_changed);
  group_changed(turn, index);
  renew_configuration_of(turn, turn.group(index));
}

}  // namespace leasehold
