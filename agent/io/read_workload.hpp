// The [workload] table of the agent's file (config/agent.toml). Mistakes are added to the table's
// file.
#pragma once

#include "agent/workload/managers.hpp"
#include "common/config/file.hpp"

namespace leasehold::agent {

/// Returns a sentence for people if the signal may be read otherwise than it works, shown with all
/// cautions; "" if there is none.
std::string signal_caution(const std::string& signal);

void read_workload(const ConfigTable& table, WorkloadSettings& settings);

}  // namespace leasehold::agent
