#include "broker/lab/simulate/scenario/scenario.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// Returns the provider's first policy with the most slots; nullptr: it exports nothing.
const ScenarioPolicy* largest_export(const Scenario& scenario, uint32_t cluster) {
  const ScenarioPolicy* largest = nullptr;
  for (const ScenarioPolicy& policy : scenario.policies) {
    if (policy.provider != cluster) continue;
    if (largest == nullptr || policy.slots > largest->slots) largest = &policy;
  }
  return largest;
}

}  // namespace

bool is_host_by_host(const Scenario& scenario) {
  const auto several = [](const auto& part) { return part.hosts > 1; };
  return std::any_of(scenario.clusters.begin(), scenario.clusters.end(), several) ||
         std::any_of(scenario.policies.begin(), scenario.policies.end(), several);
}

int64_t widest_job(const Scenario& scenario, uint32_t cluster) {
  if (scenario.clusters[cluster].slots > 0) return scenario.clusters[cluster].slots;
  if (is_host_by_host(scenario)) {
    const ScenarioPolicy* largest = largest_export(scenario, cluster);
    return largest == nullptr ? 0 : largest->slots;
  }
  int64_t exported = 0;
  for (const ScenarioPolicy& policy : scenario.policies) {
    if (policy.provider == cluster) exported += policy.slots;
  }
  return exported;
}

int32_t hosts_of_job(const Scenario& scenario, uint32_t cluster, int32_t width) {
  if (!is_host_by_host(scenario)) return 0;
  const ScenarioCluster& own = scenario.clusters[cluster];
  const int32_t host =
      own.slots > 0 ? own.slots_per_host() : largest_export(scenario, cluster)->slots_per_host();
  return (width + host - 1) / host;
}

int64_t all_slots(const Scenario& scenario) {
  int64_t slots = 0;
  for (const ScenarioCluster& cluster : scenario.clusters) slots += cluster.slots;
  for (const ScenarioPolicy& policy : scenario.policies) slots += policy.slots;
  return slots;
}

}  // namespace leasehold
