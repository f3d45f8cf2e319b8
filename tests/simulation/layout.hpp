// Layout: the site that one seed stands for: clusters with their hosts and work, policies, times.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/config.hpp"
#include "common/wire/message.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/cluster_workload.hpp"

namespace leasehold::simulation {

struct ClusterLayout {
  std::string name;
  std::vector<wire::HostFacts> hosts;
  WorkloadShape work;
  bool chooses = false;  // its agent chooses among hosts what a plan reclaims
};

struct Layout {
  std::vector<ClusterLayout> clusters;
  BrokerConfig config;
  int64_t report_interval_ms = 0;
  int64_t heartbeat_ms = 0;
  bool by_demand = false;  // its leases go by the rule demand-aware, some of them
};

/// `seed`: of the world.
Layout draw_layout(Chance& chance, uint64_t seed);

/// One policy's numbers drawn anew, within what its hosts have left beside the other policies.
void redraw_policy(Chance& chance, const Layout& layout, BrokerConfig& config, size_t policy);

}  // namespace leasehold::simulation
