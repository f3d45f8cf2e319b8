// Finds the policy of a consumer and its position in a plan.
#pragma once

#include <string>

#include "broker/rules/plan/plan.hpp"

namespace leasehold {

/// Returns the policy of the branch that the consumer is in.
PlanPolicy policy_of(const Plan& plan, uint32_t consumer);
/// Returns the position of the path in the plan; kNoIndex: it is not there. `guess` is tried first.
uint32_t position_of(const Plan& plan, const std::string& path, uint32_t guess = 0);

}  // namespace leasehold
