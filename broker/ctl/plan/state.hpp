// The state file of `leasectl plan` (schema/README.md, "State file of plan"): what each leaf wants
// and holds at one instant.
//
// Contract: strict. An unknown key, an unknown path, a parent, a negative number, a double: an
// error with its place (usage, exit 2), all of them at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/plan/windows.hpp"
#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

struct PlanStates {
  std::optional<Instant> time;    // absent: outside of every window
  std::vector<PlanState> groups;  // by position of the group
  std::vector<Error> errors;      // the rest is good only if there are none
};

PlanStates read_plan_states(std::string_view text, const std::string& file,
                            const ResourcePlans& plans);

}  // namespace leasehold::ctl
