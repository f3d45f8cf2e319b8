#include "broker/core/exports/returns.hpp"

#include <algorithm>

#include "broker/core/ledger/exported.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/hosts.hpp"

namespace leasehold {

namespace {

/// Contract: something is wanted.
Reason return_reason(const State& state, const SlotGroup& group, const Wanted& wanted) {
  if (group.phase == Phase::draining) return Reason::draining;
  if (cluster_drains(state, group, kConsumer)) return Reason::cluster_draining;
  const bool down = std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    return down_there(state, group, kConsumer, entry.first);
  });
  return down ? Reason::host_down : Reason::operator_order;
}

void start_return(Turn& turn, uint32_t index, wire::Lowering lowering, Wanted wanted) {
  if (wanted.empty()) return;
  TransferOrder order;
  order.from = kConsumer;
  order.to = kProvider;
  order.lowering = lowering;
  order.reason = return_reason(turn.state, turn.group(index), wanted);
  order.inactive = false;
  order.wanted = std::move(wanted);
  start_transfer(turn, index, std::move(order));
}

/// Slots on their way to the consumer that it may no longer have, or has without them: asked for
/// and returned on one row at once they would go round and round.
void cancel_gifts(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  for (const Transfer& transfer : group.transfers) {
    if (transfer.from != kProvider || transfer.lowering == wire::Lowering::release) continue;
    const bool refused =
        std::any_of(transfer.wanted.begin(), transfer.wanted.end(), [&](const auto& entry) {
          const int32_t keeps =
              group.at(entry.first, kConsumer).held - wanted_from(group, kConsumer, entry.first);
          const int32_t cap = consumer_cap(turn.state, group, entry.first);
          return entry.second > 0 && keeps + entry.second > cap;
        });
    if (refused) return cancel_transfers(turn, index, kProvider, Reason::draining);
  }
}

void return_above_cap(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  const bool whole = whole_hosts(turn.state, group);
  Wanted shrink;
  Wanted reclaim;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    // A host that both sides have a part of goes home, to be lent as a whole.
    const bool all = whole && is_split(group, row);
    const int32_t cap = all ? 0 : consumer_cap(turn.state, group, row);
    const int32_t excess = group.at(row, kConsumer).held - cap - wanted_from(group, kConsumer, row);
    if (excess <= 0) continue;
    (host_of(turn.state, group, row).closed_reclaim ? reclaim : shrink).emplace_back(row, excess);
  }
  start_return(turn, index, wire::Lowering::shrink, std::move(shrink));
  start_return(turn, index, wire::Lowering::reclaim, std::move(reclaim));
}

}  // namespace

void plan_returns(Turn& turn, uint32_t index, Looked looked) {
  const SlotGroup& group = turn.group(index);
  if (group.quarantined || turn.state.frozen || group.phase == Phase::closed) return;
  if (group.resource_group != kNoIndex) {
    return_above_dues(turn, index, looked);
  } else {
    cancel_gifts(turn, index);
    return_above_cap(turn, index);
  }
  shed_exports(turn, index);
  close_if_empty(turn, index);
}

void replan_returns(Turn& turn, uint32_t index) {
  const bool plan = turn.group(index).resource_group != kNoIndex;
  for (size_t m = kProvider + 1; m < turn.group(index).members.size(); ++m) {
    plan ? keep_reclaims(turn, index, m, Reason::operator_order)
         : cancel_transfers(turn, index, m, Reason::operator_order);
  }
  plan_returns(turn, index);
  rows_changed(turn, index);
  renew_configuration_of(turn, turn.group(index));
}

}  // namespace leasehold
