#include "broker/core/ledger/transfer_end.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/ledger/export_counts.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "common/canary.hpp"

namespace leasehold {

Record& record_transfer(Turn& turn, RecordKind kind, uint32_t index, const Transfer& transfer,
                        Reason reason) {
  const SlotGroup& group = turn.group(index);
  Record& row = record(turn, kind, index, reason);
  const bool taken = transfer.to != kNoMember;
  // A plan's group has a lease for each consumer: it is that of who gets the slots, where one does.
  const bool gets = taken && group.members[transfer.to].plan_consumer != kNoIndex;
  row.member = gets ? transfer.to : transfer.from;
  row.from = group.members[transfer.from].cluster;
  row.to = taken ? group.members[transfer.to].cluster : kNoIndex;
  row.slots = transfer.slots_released;
  row.numbers = {
      static_cast<int64_t>(transfer.id), transfer.slots_wanted, transfer.slots_released, 0, 0, 0};
  return row;
}

void mark_for_return_check(SlotGroup& group, size_t member) {
  if (!group.holding_index) return;
  group.holding_index->mark_for_return_check(static_cast<uint32_t>(member));
}

bool is_inactive(const SlotGroup& group) {
  return std::any_of(group.transfers.begin(), group.transfers.end(),
                     [](const Transfer& transfer) { return transfer.inactive; });
}

namespace {

/// Enters the phase that follows once no transfer keeps the lease inactive.
void leave_inactive(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (group.phase == Phase::inactive && !is_inactive(group)) set_phase(turn, index, Phase::active);
}

/// Tells the memory of the rule demand-aware what became of its moves: slots that did not go back
/// are asked for again, and slots that never came to a member are no grant.
void note_demand(const State& state, SlotGroup& group, const Transfer& ended, RecordKind kind) {
  if (!group.demand) return;
  const bool failed = kind == RecordKind::transfer_failed;
  const bool grant =
      ended.reason == Reason::consumer_waits || ended.reason == Reason::provider_waits;
  const bool parts = ended.lowering == wire::Lowering::shrink;  // they came one by one
  if (failed && grant) {
    demand_aware::noted_failure(*group.demand, ended.to, parts ? ended.slots_released : 0);
  }
  if (ended.reason != Reason::grant_unused || LEASEHOLD_CANARY(gives_back_once)) return;
  const int32_t back = failed && !parts ? 0 : ended.slots_released;
  demand_aware::noted_kept(*group.demand, std::max(0, ended.slots_wanted - back),
                           perhaps_idle(state, group, ended.from));
}

}  // namespace

void close_transfer(Turn& turn, uint32_t index, uint64_t id, RecordKind kind, Reason reason) {
  SlotGroup& group = turn.group(index);
  Transfer* found = group.transfers.find(id);
  record_transfer(turn, kind, index, *found, reason);
  const Transfer ended = std::move(*found);
  group.transfers.erase(id);
  note_demand(turn.state, group, ended, kind);
  const size_t from = ended.from;
  const bool ended_work = ended.lowering == wire::Lowering::reclaim &&
                          std::any_of(ended.wanted.begin(), ended.wanted.end(), [&](auto& entry) {
                            return withheld(turn.state, group, from, entry.first);
                          });
  mark_for_return_check(group, from);
  leave_inactive(turn, index);
  group_changed(turn, index);
  // The order that ended work allowed what it left; a host that is down allows nothing new.
  if (ended_work) issue_order(turn, index, from);
}

void fail_transfer(Turn& turn, uint32_t index, uint64_t id, Reason reason) {
  SlotGroup& group = turn.group(index);
  group.reason = reason;
  group.evaluated_at = turn.now;
  close_transfer(turn, index, id, RecordKind::transfer_failed, reason);
}

}  // namespace leasehold
