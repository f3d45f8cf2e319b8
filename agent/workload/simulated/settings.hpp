// The settings of [workload.simulated].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/workload/simulated/job_source.hpp"
#include "common/config/keys/reference.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

struct SimulatedSettings {
  std::string state;  // path of the jobs file
  std::vector<wire::HostFacts> hosts;
  JobSourceSettings jobs;
  int64_t speed_milli = 1000;  // thousandths of a simulated second for each real second
  int64_t settle_ms = 0;
};

/// Reads [workload.simulated] by the rows of its keys. Mistakes are added to the table's file.
void read_settings(const ConfigTable& table, SimulatedSettings& settings);
/// Adds the rows, for --describe-config.
void describe_keys(const SimulatedSettings& plain, KeyReference& reference);

/// Checks that the files and programs exist; an error is placed at the key that names one.
void check_named_files(const ConfigTable& table, const SimulatedSettings& settings);

}  // namespace leasehold::agent
