#include "broker/core/agents/breach.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// Slots that members use above their limits, and that they state beyond what they hold.
struct Above {
  int64_t used = 0;
  int64_t stated = 0;
};

/// Returns the slots of a lease that confirmed statements of its two members have above what they
/// hold.
int64_t stated_above(const SlotGroup& group) {
  int64_t sum = 0;
  for (const Holding& row : group.holdings) {
    sum += row.confirmed ? std::max(0, row.stated - row.held) : 0;
  }
  return sum;
}

Above above_of(const SlotGroup& group) {
  if (const HoldingIndex* index = find_holding_index(group)) {
    return {index->breach(), index->stated_above()};
  }
  Above above{0, stated_above(group)};
  for (const Member& member : group.members) above.used += member.breach;
  return above;
}

}  // namespace

void set_breach(SlotGroup& group, size_t member, int32_t slots) {
  int32_t& breach = group.members[member].breach;
  if (group.holding_index) group.holding_index->set_breach(breach, slots);
  breach = slots;
}

void watch_breach(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  const Above above = above_of(group);
  const int64_t stated = group.quarantined ? 0 : above.stated;
  const bool breach = above.used + stated > 0;
  if (breach == group.breach) return;
  group.breach = breach;
  const RecordKind kind = breach ? RecordKind::breach : RecordKind::breach_over;
  record(turn, kind, index, Reason::breach).numbers = {above.used, stated, 0, 0, 0, 0};
  touch_group(turn, index);
}

}  // namespace leasehold
