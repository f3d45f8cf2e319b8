#include "broker/core/agents/breach.hpp"

#include <algorithm>

namespace leasehold {

namespace {

int64_t stated_above(const SlotGroup& group) {
  int64_t sum = 0;
  for (const Holding& row : group.holdings) {
    sum += row.confirmed ? std::max(0, row.stated - row.held) : 0;
  }
  return sum;
}

}  // namespace

void watch_breach(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  int64_t above = 0;
  for (const Member& member : group.members) above += member.breach;
  const int64_t stated = group.quarantined ? 0 : stated_above(group);
  const bool breach = above + stated > 0;
  if (breach == group.breach) return;
  group.breach = breach;
  const RecordKind kind = breach ? RecordKind::breach : RecordKind::breach_over;
  record(turn, kind, index, Reason::breach).numbers = {above, stated, 0, 0, 0, 0};
  touch(turn, index);
}

}  // namespace leasehold
