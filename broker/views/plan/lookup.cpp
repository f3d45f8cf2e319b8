#include "broker/views/plan/lookup.hpp"

namespace leasehold {

PlanPolicy policy_of(const Plan& plan, uint32_t consumer) {
  uint32_t branch = consumer;
  while (plan.consumers[branch].parent != kNoIndex) branch = plan.consumers[branch].parent;
  return plan.consumers[branch].policy.value_or(plan.policy);
}

uint32_t position_of(const Plan& plan, const std::string& path, uint32_t guess) {
  if (guess < plan.consumers.size() && plan.consumers[guess].path == path) return guess;
  for (uint32_t c = 0; c < plan.consumers.size(); ++c) {
    if (plan.consumers[c].path == path) return c;
  }
  return kNoIndex;
}

}  // namespace leasehold
