#include "broker/rules/plan/demand/unneeded.hpp"

#include <algorithm>

namespace leasehold {

bool under_ownership(const Plan& plan, uint32_t consumer) {
  while (plan.consumers[consumer].parent != kNoIndex) consumer = plan.consumers[consumer].parent;
  return plan.consumers[consumer].policy.value_or(plan.policy) == PlanPolicy::ownership;
}

bool holds_unneeded(const Plan& plan, const PlanState& state, uint32_t consumer) {
  const LeafState& leaf = state.leaves[consumer];
  return leaf.connected && leaf.allocated > leaf.demand && under_ownership(plan, consumer);
}

namespace {

void give_back(int64_t& has, int64_t& left) {
  const int64_t part = std::min(has, left);
  has -= part;
  left -= part;
}

}  // namespace

void give_up(LeafState& leaf, int64_t slots) {
  leaf.allocated -= slots;
  if (!leaf.borrowed) return;
  for (size_t l = leaf.borrowed->size(); l-- > 0;) give_back((*leaf.borrowed)[l].slots, slots);
  if (leaf.shared) give_back(*leaf.shared, slots);
}

void shrink_to_demand(LeafState& leaf) {
  give_up(leaf, leaf.allocated - leaf.demand);
}

}  // namespace leasehold
