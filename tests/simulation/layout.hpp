// Layout: the site of a seed: clusters with their hosts and work, policies, times.
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
  bool chooses = false;  // its agent chooses among hosts for a plan's reclaims
};

struct Layout {
  std::vector<ClusterLayout> clusters;
  BrokerConfig config;
  int64_t report_interval_ms = 0;
  int64_t heartbeat_ms = 0;
  bool by_demand = false;  // some of its leases have the rule demand-aware
};

/// True for two seeds of eleven: the hosts of their providers sleep while they are idle. Not drawn,
/// and of no seed that is known to find a canary of something else.
bool saves_power(uint64_t seed);

/// `seed` is the world's.
Layout draw_layout(Chance& chance, uint64_t seed);

/// Draws the numbers of one policy again, within what the other policies leave of its hosts.
void redraw_policy(Chance& chance, const Layout& layout, BrokerConfig& config, size_t policy);

}  // namespace leasehold::simulation
