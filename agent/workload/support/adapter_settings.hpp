// What every adapter needs, as [workload] and [hosts] of the agent's file say (config/agent.toml).
// What one alone needs stands in the settings.hpp of its folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/limits/host_names.hpp"

namespace leasehold::agent {

struct AdapterSettings {
  std::string cluster;                         // this one's name
  HostNames names;                             // what imported hosts are called here
  std::vector<std::string> leased_partitions;  // or queues: which pending jobs could run on leased
                                               // hosts; empty: all
  int64_t call_timeout_ms = 20'000;            // of each external program
  std::string journal;  // path: what the fences in force were made from (cap_journal.hpp)
};

}  // namespace leasehold::agent
