#include "broker/lab/simulate/scenario/scenario_plan.hpp"

#include "broker/config/plan/elsewhere.hpp"

namespace leasehold {

namespace {

NamesElsewhere names_of(const Scenario& scenario) {
  NamesElsewhere names;
  for (const ScenarioCluster& cluster : scenario.clusters) names.clusters.push_back(cluster.name);
  for (const ScenarioPolicy& policy : scenario.policies) names.policies.push_back(policy.name);
  return names;
}

}  // namespace

bool ScenarioPlan::names(const std::string& policy) const {
  return plan_names(loaded, policy);
}

ScenarioPlan read_scenario_plan(const Scenario& scenario) {
  if (scenario.plan.empty()) return {};
  return {load_broker_config(scenario.plan)};
}

void take_plan(const ScenarioPlan& plan, Scenario& scenario, std::vector<Error>& errors) {
  if (scenario.plan.empty()) return;
  for (ResourceGroup& group :
       resource_groups_of(plan.loaded, scenario.plan, names_of(scenario), errors)) {
    scenario.groups.push_back(std::move(group));
  }
}

}  // namespace leasehold
