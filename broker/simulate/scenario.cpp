#include "broker/simulate/scenario.hpp"

#include <algorithm>

namespace leasehold {

bool Scenario::compares(SimulationRule rule) const {
  return std::find(compare.begin(), compare.end(), rule) != compare.end();
}

int64_t widest_job(const Scenario& scenario, uint32_t cluster) {
  if (scenario.clusters[cluster].slots > 0) return scenario.clusters[cluster].slots;
  int64_t exported = 0;
  for (const ScenarioPolicy& policy : scenario.policies) {
    if (policy.provider == cluster) exported += policy.slots;
  }
  return exported;
}

int64_t all_slots(const Scenario& scenario) {
  int64_t slots = 0;
  for (const ScenarioCluster& cluster : scenario.clusters) slots += cluster.slots;
  for (const ScenarioPolicy& policy : scenario.policies) slots += policy.slots;
  return slots;
}

}  // namespace leasehold
