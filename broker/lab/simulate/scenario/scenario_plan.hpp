// ScenarioPlan: the resource plan for a scenario's rule `plan`, read from its file. The file is a
// plan alone, or a whole broker configuration, of which only groups and consumers count: the
// clusters and export policies are those of the scenario.
#pragma once

#include <string>
#include <vector>

#include "broker/config/load.hpp"
#include "broker/lab/simulate/scenario/scenario.hpp"

namespace leasehold {

struct ScenarioPlan {
  Loaded loaded;  // empty: the scenario names no plan

  /// True if a resource group has the slots of this export policy.
  bool names(const std::string& policy) const;
};

/// Reads the file; its mistakes stay in `loaded` until take_plan().
ScenarioPlan read_scenario_plan(const Scenario& scenario);

/// Checks the plan against the scenario's clusters and policies, as a broker does against its own,
/// and fills Scenario::groups. All faults are added to `errors`.
void take_plan(const ScenarioPlan& plan, Scenario& scenario, std::vector<Error>& errors);

}  // namespace leasehold
