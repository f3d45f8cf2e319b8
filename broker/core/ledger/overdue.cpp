#include "broker/core/ledger/overdue.hpp"

#include <algorithm>

#include "broker/core/ledger/orders.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/turn/deadlines.hpp"

namespace leasehold {

namespace {

constexpr int64_t kAgainLeastMs = 1'000;  // also where no leeway is given

void record_overdue(Turn& turn, uint32_t index, const Transfer& transfer, int32_t missing) {
  const SlotGroup& group = turn.group(index);
  Record& row = record(turn, RecordKind::alarm, index, Reason::overdue);
  row.from = group.members[transfer.from].cluster;
  row.to = transfer.to == kNoMember ? kNoIndex : group.members[transfer.to].cluster;
  row.slots = missing;
  row.numbers = {
      static_cast<int64_t>(transfer.id), transfer.slots_wanted, transfer.slots_released, 0, 0, 0};
}

}  // namespace

Instant return_deadline(const State& state, const SlotGroup& group, const Transfer& transfer) {
  switch (transfer.lowering) {
    case wire::Lowering::release:
      return state.now + state.config.transfer_timeout_ms;
    case wire::Lowering::reclaim:
      return state.now + (std::max(reclaim_grace(state, group).least_ms, transfer.grace_ms) +
                          std::max(state.config.leeway_ms, kAgainLeastMs));
    case wire::Lowering::shrink:
      break;
  }
  return kNever;
}

void overdue(Turn& turn, uint32_t index, Transfer& transfer) {
  SlotGroup& group = turn.group(index);
  int32_t missing = 0;
  for (const auto& [row, slots] : transfer.wanted) missing += slots;
  if (missing == 0) return;
  touch_group(turn, index);
  if (turn.state.frozen || group.quarantined) {  // nothing is asked for meanwhile
    transfer.deadline = kNever;
    return;
  }
  const size_t loser = transfer.from;
  set_deadline(turn.state, index, transfer,
               turn.now + std::max(turn.state.config.leeway_ms, kAgainLeastMs));
  if (!connected(turn.state, group, loser)) return;  // its order follows when it greets
  record_overdue(turn, index, transfer, missing);
  for (const auto& [row, slots] : transfer.wanted) group.at(row, loser).confirmed = false;
  issue_order(turn, index, loser);
}

void resume_reclaims(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  for (Transfer& transfer : group.transfers) {
    if (transfer.lowering != wire::Lowering::reclaim) continue;
    set_deadline(turn.state, index, transfer, return_deadline(turn.state, group, transfer));
    touch_group(turn, index);
  }
}

}  // namespace leasehold
