#include "broker/core/ledger/transfer_end.hpp"

#include <algorithm>

#include "broker/core/ledger/exported.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/model/hosts.hpp"

namespace leasehold {

Record& record_transfer(Turn& turn, RecordKind kind, uint32_t index, const Transfer& transfer,
                        Reason reason) {
  const SlotGroup& group = turn.group(index);
  Record& row = record(turn, kind, index, reason);
  const bool taken = transfer.to != kNoMember;
  // A plan's group has a lease for each consumer: it is that of who gets the slots, where one does.
  const bool gets = taken && group.members[transfer.to].plan_consumer != kNoIndex;
  if (group.resource_group != kNoIndex) row.member = gets ? transfer.to : transfer.from;
  row.from = group.members[transfer.from].cluster;
  row.to = taken ? group.members[transfer.to].cluster : kNoIndex;
  row.slots = transfer.slots_released;
  row.numbers = {
      static_cast<int64_t>(transfer.id), transfer.slots_wanted, transfer.slots_released, 0, 0, 0};
  return row;
}

void look_at_returns(SlotGroup& group, size_t member) {
  if (group.plan_rows) group.plan_rows->look_again(static_cast<uint32_t>(member));
}

bool is_inactive(const SlotGroup& group) {
  return std::any_of(group.transfers.begin(), group.transfers.end(),
                     [](const Transfer& transfer) { return transfer.inactive; });
}

namespace {

/// The phase that follows once no transfer keeps the lease inactive.
void leave_inactive(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (group.phase == Phase::inactive && !is_inactive(group)) set_phase(turn, index, Phase::active);
}

}  // namespace

void close_transfer(Turn& turn, uint32_t index, uint64_t id, RecordKind kind, Reason reason) {
  SlotGroup& group = turn.group(index);
  const Transfer* found = group.transfers.find(id);
  record_transfer(turn, kind, index, *found, reason);
  const size_t from = found->from;
  const bool ended_work = found->lowering == wire::Lowering::reclaim &&
                          std::any_of(found->wanted.begin(), found->wanted.end(), [&](auto& entry) {
                            return withheld(turn.state, group, from, entry.first);
                          });
  group.transfers.erase(id);
  look_at_returns(group, from);
  leave_inactive(turn, index);
  touch(turn, index);
  look_again(turn.state, index);
  // The order that ended work allowed what it left; a host that is down allows nothing new.
  if (ended_work) issue_order(turn, index, from);
}

void fail_transfer(Turn& turn, uint32_t index, uint64_t id, Reason reason) {
  SlotGroup& group = turn.group(index);
  group.reason = reason;
  group.evaluated_at = turn.now;
  if (group.demand) demand_aware::noted_failure(*group.demand, group.transfers.find(id)->to);
  close_transfer(turn, index, id, RecordKind::transfer_failed, reason);
}

}  // namespace leasehold
