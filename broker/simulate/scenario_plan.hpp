// ScenarioPlan: the resource plan that a scenario's rule `plan` runs under, as its file says it.
// The file is a plan alone, or a whole broker configuration, of which groups and consumers count:
// the clusters and export policies are those of the scenario.
#pragma once

#include <string>
#include <vector>

#include "broker/config/load.hpp"
#include "broker/simulate/scenario.hpp"

namespace leasehold {

struct ScenarioPlan {
  Loaded loaded;  // empty: the scenario names no plan

  /// A resource group has the slots of this export policy.
  bool names(const std::string& policy) const;
};

/// Mistakes of the file itself wait in `loaded` until take_plan().
ScenarioPlan read_scenario_plan(const Scenario& scenario);

/// Holds the plan against the scenario's clusters and policies, as a broker does against its own,
/// and fills Scenario::groups. What is wrong is added to `errors`, all of it.
void take_plan(const ScenarioPlan& plan, Scenario& scenario, std::vector<Error>& errors);

}  // namespace leasehold
