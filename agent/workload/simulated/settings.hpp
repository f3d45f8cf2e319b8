// What [workload.simulated] says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/workload/simulated/job_source.hpp"
#include "common/config/file.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

struct SimulatedSettings {
  std::string state;  // path of the jobs file
  std::vector<wire::HostFacts> hosts;
  JobSourceSettings jobs;
  int64_t speed_milli = 1000;  // simulated thousandths of a second a second
  int64_t settle_ms = 0;
};

/// Reads [workload.simulated]; paths are seen from `file`. Mistakes are added to the table's file.
void read_settings(const ConfigTable& table, const std::string& file, SimulatedSettings& settings);

/// The files and programs that it names are there; else an error at the key that names them.
void check_named_files(const ConfigTable& table, const SimulatedSettings& settings);

}  // namespace leasehold::agent
