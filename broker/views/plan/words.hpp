// Which policy and which place of a plan is meant, for people.
#pragma once

#include <string>

#include "broker/rules/plan/plan.hpp"

namespace leasehold {

/// The policy of the branch that the consumer stands in.
PlanPolicy policy_of(const Plan& plan, uint32_t consumer);
/// Where the path stands in the plan; kNoIndex: nowhere. `guess` is looked at first.
uint32_t position_of(const Plan& plan, const std::string& path, uint32_t guess = 0);

}  // namespace leasehold
