// Where the settings in force were written, for `policies -l`, `consumers -l` and `groups -l`:
// the core keeps numbers, the files' places stay with the shell. For port.cpp only.
#pragma once

#include "broker/config/plan/windows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

/// Of export policies. Answers as long as `written` lives.
ValueSource policy_source_of(const WrittenSettings& written);

/// Of windows that hold at `now`. Answers as long as `plans` lives.
PlanSource plan_source_of(const ResourcePlans& plans, Instant now);

}  // namespace leasehold
