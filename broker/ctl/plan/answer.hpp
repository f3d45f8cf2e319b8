// The answer of `leasectl plan`: as JSON (schema/json/plan.schema.json) and as text for people.
#pragma once

#include <optional>
#include <string>

#include "broker/rules/plan/plan.hpp"
#include "broker/views/json.hpp"
#include "common/time/instant.hpp"

namespace leasehold::ctl {

/// Returns one resource group, with the fields and the order of broker/rules/plan/README.md,
/// "Printed numbers".
Json plan_json(const Plan& plan, const PlanAnswer& answer);

/// Returns the same for people: the tree, what would move and why, who gains, who loses, how long
/// running work has. `at` is the instant of the numbers.
std::string plan_text(const Plan& plan, const PlanAnswer& answer, std::optional<Instant> at);

}  // namespace leasehold::ctl
