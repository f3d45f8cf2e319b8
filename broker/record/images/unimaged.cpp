#include "broker/record/images/unimaged.hpp"

#include "common/check.hpp"

namespace leasehold {

Unimaged unimaged_of(const State& state) {
  Unimaged found{state.now,
                 state.grids,
                 state.deadlines,
                 state.returning,
                 state.returned,
                 state.returning_next,
                 {}};
  for (const ResourceGroupLedger& plan : state.resource_groups) {
    found.plans.push_back({plan.evaluate_flag, plan.react_at});
  }
  return found;
}

void put_back(const Unimaged& unimaged, State& state) {
  LEASEHOLD_CHECK(unimaged.plans.size() == state.resource_groups.size(), "it is the same state");
  state.now = unimaged.now;
  state.grids = unimaged.grids;
  state.deadlines = unimaged.deadlines;
  state.returning = unimaged.returning;
  state.returned = unimaged.returned;
  state.returning_next = unimaged.returning_next;
  for (size_t p = 0; p < unimaged.plans.size(); ++p) {
    state.resource_groups[p].evaluate_flag = unimaged.plans[p].evaluate_flag;
    state.resource_groups[p].react_at = unimaged.plans[p].react_at;
  }
}

}  // namespace leasehold
