#include "broker/lab/simulate/scenario/configuration.hpp"

#include <algorithm>

#include "broker/lab/simulate/work.hpp"

namespace leasehold {

namespace {

ExportPolicy exported_by(const ScenarioPolicy& policy, const Scenario& scenario,
                         const SimulationRule& rule, const HostNames& names) {
  ExportPolicy exported;
  exported.name = policy.name;
  exported.provider = scenario.clusters[policy.provider].name;
  exported.hosts = names.exported[static_cast<size_t>(&policy - scenario.policies.data())];
  exported.slots_per_host = policy.slots_per_host();
  if (is_planned(rule, policy)) return exported;
  exported.distribution = policy.distribution;
  exported.type = policy.type;
  set_rule(rule, scenario, exported);
  exported.initial_slots = policy.initial_slots;
  return exported;
}

}  // namespace

bool ends_work(const Scenario& scenario, const SimulationRule& rule) {
  if (rule.planned) return true;
  const auto first = [](const ScenarioPolicy& policy) { return policy.provider_first; };
  const auto& all = scenario.policies;
  return rule.by_demand() && std::any_of(all.begin(), all.end(), first);
}

BrokerConfig simulated_configuration(const Scenario& scenario, const SimulationRule& rule,
                                     const HostNames& names) {
  BrokerConfig config;
  config.name = "simulate";
  config.reclaim_delay_ms = scenario.reclaim_delay_ms;
  // An answer that takes as long as the transfer is in time.
  config.transfer_timeout_ms = scenario.transfer_time_ms + 30'000;
  for (const ScenarioCluster& cluster : scenario.clusters) {
    config.clusters.push_back({cluster.name, "", scenario.reclaim_delay_ms, {}});
  }
  for (const ScenarioPolicy& policy : scenario.policies) {
    config.policies.push_back(exported_by(policy, scenario, rule, names));
  }
  if (ends_work(scenario, rule)) config.leeway_ms += scenario.transfer_time_ms;
  if (!rule.planned) return config;
  config.resource_groups = scenario.groups;
  // `react` is 0, so that reactions come in the same instant, after its starts.
  for (ResourceGroup& group : config.resource_groups) group.react_ms = 0;
  return config;
}

}  // namespace leasehold
