#include "broker/lab/simulate/hosts.hpp"

#include <algorithm>
#include <set>

namespace leasehold {

namespace {

using Names = std::vector<std::string>;

Names numbered(const std::string& name, int32_t hosts) {
  if (hosts == 1) return {name};
  Names names;
  for (int32_t host = 1; host <= hosts; ++host) {
    names.push_back(name + "-" + std::to_string(host));
  }
  return names;
}

Names names_of_hosts(std::string name, int32_t hosts, const std::string& suffix,
                     const std::set<std::string>& taken) {
  const auto is_taken = [&](const std::string& host) { return taken.count(host) > 0; };
  Names names = numbered(name, hosts);
  while (std::any_of(names.begin(), names.end(), is_taken)) {
    name += suffix;
    names = numbered(name, hosts);
  }
  return names;
}

}  // namespace

HostNames name_hosts(const Scenario& scenario) {
  HostNames names;
  std::set<std::string> taken;
  for (const ScenarioPolicy& policy : scenario.policies) {
    if (policy.hosts == 1) taken.insert(policy.name);
  }
  for (const ScenarioPolicy& policy : scenario.policies) {
    if (policy.hosts == 1) {
      names.exported.push_back({policy.name});
      continue;
    }
    names.exported.push_back(names_of_hosts(policy.name, policy.hosts, "-host", taken));
    taken.insert(names.exported.back().begin(), names.exported.back().end());
  }
  for (const ScenarioCluster& cluster : scenario.clusters) {
    names.own.push_back(names_of_hosts(cluster.name, cluster.hosts, "-own", taken));
  }
  return names;
}

}  // namespace leasehold
