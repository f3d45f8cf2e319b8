#include "broker/rules/demand_aware/wide.hpp"

#include <algorithm>

namespace leasehold::demand_aware {

bool would_fit(const View& view, uint8_t member, const Waiting& waiting) {
  const Side& side = view.sides[member];
  const Shape& shape = waiting.shape;
  int64_t hosts = 0;
  for (uint32_t row = 0; row < view.exported.size(); ++row) {
    const int32_t slots = shape.whole ? view.rows[row].size : view.exported[row];
    if (waiting.may_use(row) && slots >= shape.slots_per_host) ++hosts;
  }
  return shape.slots <= view.slots + side.slots_elsewhere && hosts > 0 &&
         (hosts >= shape.hosts || side.slots_elsewhere > 0);
}

std::vector<Waiting> short_enough(const View& view, uint8_t member, const Ledger& ledger) {
  std::vector<Waiting> waiting;
  if (member != kProvider) return waiting;
  const int64_t left_ms = ledger.gathering.until - view.now - 2 * ledger.pace.move_ms;
  for (const Waiting& one : view.sides[member].waiting) {
    if (one.limit_ms > 0 && one.limit_ms <= left_ms) waiting.push_back(one);
  }
  return waiting;
}

}  // namespace leasehold::demand_aware
