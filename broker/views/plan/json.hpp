// The result of a plan's evaluation as the JSON of `plan`, `consumers` and `reload`.
#pragma once

#include "broker/rules/plan/plan.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns
/// {"path","demand","allocated","owned","reserved","limit","quota","borrowed","lent","shared",
/// "free","change"}.
Json plan_row_json(const Plan& plan, const PlanRow& row);
/// Returns {"from","to","slots","kind","grace_s","reason","detail"}.
Json plan_move_json(const Plan& plan, const PlanMove& move);
/// Returns seconds; whole ones, as nearly all are, are an integer.
Json seconds_json(int64_t ms);

}  // namespace leasehold
