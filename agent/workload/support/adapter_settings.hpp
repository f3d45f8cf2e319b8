// The settings that every adapter needs, from [workload] and [hosts] of the agent's file
// (config/agent.toml). Those of a single adapter are in the settings.hpp of its folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/limits/host_names.hpp"

namespace leasehold::agent {

struct AdapterSettings {
  std::string cluster;
  HostNames names;  // the names of imported hosts here
  // The partitions, or queues, whose pending jobs could run on leased hosts; empty: all.
  std::vector<std::string> leased_partitions;
  int64_t call_timeout_ms = 20'000;  // of each external program
  std::string journal;  // path of what the fences in force were made from (cap_journal.hpp)
};

}  // namespace leasehold::agent
