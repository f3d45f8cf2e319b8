// The [workload] table of the agent's file (config/agent.toml). Mistakes are added to the table's
// file.
#pragma once

#include "agent/workload/managers.hpp"
#include "common/config/file.hpp"

namespace leasehold::agent {

/// Returns a caution for people if the signal does not do what its setting suggests; "" if it does.
std::string signal_caution(const std::string& signal);

void read_workload(const ConfigTable& table, WorkloadSettings& settings);

}  // namespace leasehold::agent
