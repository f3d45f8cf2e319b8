#include "broker/core/agents/slots_used.hpp"

#include "broker/core/agents/work_ended.hpp"

namespace leasehold {

void slots_used(Turn& turn, const SlotsUsed& event) {
  const uint32_t cluster = find_cluster(turn.state, event.cluster);
  for (const wire::UsedSlots& used : event.used) {
    int64_t named_slot_ms = 0;  // at most 64 numbers of at most 2^53
    for (const wire::UsedBy& by : used.by) named_slot_ms += by.slot_ms;
    const int64_t all_slot_ms = named_slot_ms + used.others_slot_ms + used.unnamed_slot_ms;
    Record& row = record_cluster(turn, RecordKind::slots_used, cluster, Reason::none);
    name_lease(turn.state, used.generation, row);
    row.numbers = {static_cast<int64_t>(used.number),
                   used.since_ms,
                   used.until_ms,
                   all_slot_ms / 1'000,
                   used.others_slot_ms / 1'000,
                   static_cast<int64_t>(used.by.size())};
  }
}

}  // namespace leasehold
