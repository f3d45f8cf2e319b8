// Checks that converge_marked() finds nothing to do when the same groups are marked again
// (broker/core/converge/converge.hpp).
#pragma once

#include <string>

#include "broker/core/converge/converge.hpp"
#include "broker/core/ledger/orders.hpp"

namespace leasehold::test {

inline void converge_all(State& state, Effects& effects, Instant now, Cause cause) {
  Turn turn{state, effects, now};
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) turn.marks.add(g, cause);
  converge_marked(turn);
  issue_later_orders(turn);
}

/// Has all groups converge twice in a copy of the state. "": nothing was done the second time.
inline std::string done_twice(const State& state, Instant now, Cause cause) {
  State copy = state;
  Effects effects;
  converge_all(copy, effects, now, cause);
  const size_t records = effects.records.size();
  const size_t orders = effects.orders.size();
  converge_all(copy, effects, now, cause);
  if (effects.records.size() > records) {
    const Record& more = effects.records[records];
    const std::string id = group_id(copy, copy.slot_groups[more.group]);
    return id + ": " + record_token(more.kind) + " " + std::string(token(more.reason));
  }
  return effects.orders.size() > orders ? "an order" : "";
}

}  // namespace leasehold::test
