#include "broker/simulate/scenario_plan.hpp"

#include <algorithm>

#include "broker/config/plan/check.hpp"
#include "broker/config/plan/variants.hpp"

namespace leasehold {

namespace {

Drafts drafts_of(const Scenario& scenario) {
  Drafts drafts;
  for (const ScenarioCluster& cluster : scenario.clusters) {
    drafts.clusters.emplace_back();
    drafts.clusters.back().cluster.name = cluster.name;
  }
  for (const ScenarioPolicy& policy : scenario.policies) {
    drafts.policies.emplace_back();
    drafts.policies.back().policy.name = policy.name;
  }
  return drafts;
}

}  // namespace

bool ScenarioPlan::names(const std::string& policy) const {
  for (const PlanTree& tree : loaded.plans.trees()) {
    const auto& names = tree.group->own.policies;
    if (std::find(names.begin(), names.end(), policy) != names.end()) return true;
  }
  return false;
}

ScenarioPlan read_scenario_plan(const Scenario& scenario) {
  if (scenario.plan.empty()) return {};
  return {check_config(scenario.plan)};
}

void take_plan(ScenarioPlan plan, Scenario& scenario, std::vector<Error>& errors) {
  if (scenario.plan.empty()) return;
  Loaded& loaded = plan.loaded;
  Findings findings;
  findings.errors = std::move(loaded.errors);
  if (findings.errors.empty() && loaded.plans.empty()) {
    findings.error({scenario.plan, {}},
                   "names no [[resource_group]]; a plan has one, and its "
                   "[[consumer]]s");
  }
  if (findings.errors.empty()) {
    check_plan_members(loaded.plans.trees(), drafts_of(scenario), findings);
    check_carried_out(loaded.plans.trees(), true, findings);
  }
  if (findings.errors.empty()) {
    for (const PlanTree& tree : loaded.plans.trees()) {
      scenario.groups.push_back(resource_group_of(tree, findings));
    }
  }
  errors.insert(errors.end(), findings.errors.begin(), findings.errors.end());
}

}  // namespace leasehold
