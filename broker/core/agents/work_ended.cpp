#include "broker/core/agents/work_ended.hpp"

#include <memory>

#include "broker/core/model/audit.hpp"

namespace leasehold {

void name_lease(const State& state, uint64_t generation, Record& row) {
  const uint32_t index = generation == 0 ? kNoIndex : find_slot_group(state, generation);
  if (index == kNoIndex) return;
  const SlotGroup& group = state.slot_groups[index];
  const uint32_t member = member_of(group, row.cluster);
  if (member == kNoIndex) return;
  row.group = index;
  row.member = member;
  row.epoch = group.epoch;
}

void work_ended(Turn& turn, const WorkEnded& event) {
  const uint32_t cluster = find_cluster(turn.state, event.cluster);
  for (const wire::EndedWork& work : event.work) {
    Record& row = record_cluster(turn, RecordKind::work_ended, cluster, work.reason);
    name_lease(turn.state, work.generation, row);
    row.slots = work.slots;
    row.numbers = {static_cast<int64_t>(work.number), work.told_ms, work.ended_ms};
    row.audit = std::make_shared<const Audit>(audit_of(work));
  }
}

}  // namespace leasehold
