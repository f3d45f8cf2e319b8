// Faults of a plan, and warnings about it: all at once, as values (broker/rules/plan/README.md,
// "Common numbers", "Mixed policies" and "Not defined"). The reader adds file, line and column from
// `consumer` and `key`. Overlapping windows are the reader's: a Plan has the numbers of one
// instant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/rules/plan/plan.hpp"

namespace leasehold {

struct PlanFault {
  bool error = true;             // false: legal but unwise
  uint32_t consumer = kNoIndex;  // position in Plan::consumers; kNoIndex: the group itself
  std::string_view key;          // the configuration's: "owned", "lend_to"; "path" if it is missing
  std::string message;           // what is wrong, and what would be right; names the path
};

/// Ordered by consumer (the group first), then as found. Errors: the plan cannot be evaluated.
std::vector<PlanFault> check_plan(const Plan& plan);

/// Returns the faults of a state: numbers out of range, loans and shares above what is held, wrong
/// lenders, a state for a parent. `key` is "demand", "allocated", "shared", "borrowed" or "slots".
std::vector<PlanFault> check_plan_state(const Plan& plan, const PlanState& state);

/// Warnings that need a state: a branch that owns less than its children want (the caller decides
/// what is "for long"); all ranks equal where slots are short.
std::vector<PlanFault> check_plan_use(const Plan& plan, const PlanState& state);

}  // namespace leasehold
