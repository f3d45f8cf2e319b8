// The state file of `leasectl plan` (schema/README.md, "State file of plan"): what each leaf wants
// and holds at one instant.
//
// Contract: reading is strict. An unknown or repeated key, an unknown path, a parent, a negative or
// decimal number is an error with its place (usage, exit 2); all errors are reported at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/plan/windows.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold::ctl {

struct PlanStates {
  std::optional<Instant> time;    // absent: outside of every window
  std::vector<PlanState> groups;  // by position of the group
  std::vector<Error> errors;      // the rest is valid only if there are none
};

PlanStates read_plan_states(std::string_view text, const std::string& file,
                            const ResourcePlans& plans);

}  // namespace leasehold::ctl
