// The [workload] table of the agent's file (config/agent.toml). Mistakes are added to the table's
// file.
#pragma once

#include <string>

#include "agent/workload/open_workload.hpp"
#include "common/config/file.hpp"

namespace leasehold::agent {

/// The path under `state`, seen from `file`; `wanted` says what it is.
std::string read_kept_file(const ConfigTable& table, const std::string& file, const char* wanted);

void read_workload(const ConfigTable& table, const std::string& file, WorkloadSettings& settings);

}  // namespace leasehold::agent
