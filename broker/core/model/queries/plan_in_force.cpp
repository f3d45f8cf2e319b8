#include "broker/core/model/queries/plan_in_force.hpp"

#include "broker/core/model/queries/ready_plan.hpp"

namespace leasehold {

const ResourceGroup* resource_group(const State& state, const std::string& name) {
  for (const ResourceGroup& group : state.config.resource_groups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

const Plan* plan_in_force(const State& state, const ResourceGroupLedger& plan) {
  const ResourceGroup* group = resource_group(state, plan.name);
  if (group == nullptr || plan.variant >= group->variants.size()) return nullptr;
  return &group->variants[plan.variant];
}

const PlanConsumer* leaf_in_force(const State& state, const SlotGroup& group, size_t member) {
  const ResourceGroupLedger& ledger = state.resource_groups[group.resource_group];
  const Plan* plan = plan_in_force(state, ledger);
  const uint32_t leaf = group.members[member].plan_consumer;
  if (plan == nullptr || leaf == kNoIndex) return nullptr;
  const uint32_t at = ready_plan(state, ledger, *plan)->consumer_at[leaf];
  return at == kNoIndex ? nullptr : &plan->consumers[at];
}

}  // namespace leasehold
