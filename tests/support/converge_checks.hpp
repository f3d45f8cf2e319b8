// Checks that converge() finds nothing to do when it is called again
// (broker/core/exports/converge.hpp).
#pragma once

#include <string>

#include "broker/core/exports/converge.hpp"
#include "broker/core/ledger/orders.hpp"

namespace leasehold::test {

/// Calls it twice in a copy of the state, for every group. "": nothing was done the second time.
inline std::string done_twice(const State& state, Instant now, Cause cause) {
  State copy = state;
  Effects effects;
  for (uint32_t g = 0; g < copy.slot_groups.size(); ++g) {
    if (copy.slot_groups[g].phase == Phase::closed) continue;
    Turn first{copy, effects, now};
    converge(first, Mark::of(g, cause));
    issue_later_orders(first);
    if (copy.slot_groups[g].phase == Phase::closed) continue;
    const size_t records = effects.records.size();
    const size_t orders = effects.orders.size();
    Turn second{copy, effects, now};
    converge(second, Mark::of(g, cause));
    const std::string id = group_id(copy, copy.slot_groups[g]);
    if (effects.records.size() > records) {
      const Record& more = effects.records[records];
      return id + ": " + record_token(more.kind) + " " + std::string(token(more.reason));
    }
    if (effects.orders.size() > orders || !second.orders.empty()) return id + ": an order";
  }
  return "";
}

}  // namespace leasehold::test
