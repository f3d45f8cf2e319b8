#include "broker/lab/simulate/moves.hpp"

namespace leasehold {

void MoveCount::count_flip(const Record& row, Instant now) {
  ++flips_;
  flipped_at_ = now;
  slots_ += row.slots;
  slots_in_transfer_ += row.slots;
  if (row.reason == Reason::grant_unused) slots_unused_ += row.slots;
}

/// Counts a reclaim of a lease; its slots come one by one, and are not a flip's. `alone`: the
/// evaluation that asked for them released nothing else.
void MoveCount::count_reclaim(const Record& row, const State& state, bool alone) {
  const int64_t id = row.numbers.front();
  if (row.kind == RecordKind::transfer_started) {
    const Transfer* open = state.slot_groups[row.group].transfers.find(static_cast<uint64_t>(id));
    if (open == nullptr || open->lowering != wire::Lowering::reclaim) return;
    reclaims_.insert(id);
    flips_ += alone ? 1 : 0;
  } else if (row.kind == RecordKind::transfer_released && reclaims_.contains(id)) {
    slots_ += row.slots;
    slots_in_transfer_ += row.slots;
  } else if (row.kind == RecordKind::transfer_done) {
    reclaims_.erase(id);
  }
}

/// Under a plan an evaluation that gives or takes is a flip; slots count as moved when they are
/// granted. Returns true if the evaluation gave or took some.
bool MoveCount::count_plan(const Record& row, bool begun) {
  if (row.kind == RecordKind::transfer_granted) slots_ += row.slots;
  if (row.kind == RecordKind::transfer_released && begun) slots_in_transfer_ += row.slots;
  return row.kind == RecordKind::consumer && row.slots != 0;
}

void MoveCount::count(std::span<const Record> records, const State& state, Instant now,
                      bool begun) {
  bool moved = false;
  const Record* before = nullptr;
  for (const Record& row : records) {
    const bool alone = before == nullptr || before->kind != RecordKind::transfer_started ||
                       before->group != row.group;
    before = &row;
    if (row.kind == RecordKind::flip) count_flip(row, now);
    const bool leased =
        row.group != kNoIndex && state.slot_groups[row.group].resource_group == kNoIndex;
    if (leased) count_reclaim(row, state, alone);
    if (!leased && count_plan(row, begun)) moved = true;
  }
  flips_ += moved ? 1 : 0;
}

}  // namespace leasehold
