// Finds the file and line where a setting in force was written, for `policies -l`, `consumers -l`
// and `groups -l`: the core keeps the values alone.
#pragma once

#include "broker/config/plan/windows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

/// Finds settings of export policies. `written` must outlive it.
ValueSource policy_source_of(const WrittenSettings& written);

/// Finds settings of plans, by the windows that hold at `now`. `plans` must outlive it.
PlanSource plan_source_of(const ResourcePlans& plans, Instant now);

}  // namespace leasehold
