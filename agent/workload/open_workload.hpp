// The five workload managers behind one door.
#pragma once

#include <memory>

#include "agent/workload/simulated/simulated.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

enum class WorkloadKind : uint8_t { simulated, slurm, gridengine, lsf, command };

/// The one that `kind` names, and what concerns all that call programs.
struct WorkloadSettings {
  WorkloadKind kind = WorkloadKind::simulated;
  AdapterSettings adapter;
  SimulatedSettings simulated;
  SlurmSettings slurm;
  GridEngineSettings gridengine;
  LsfSettings lsf;
  CommandSettings command;
};

/// What open_workload() would refuse before it asks the workload manager anything; nothing is
/// changed. For checking a configuration.
Status check_workload(const WorkloadSettings& settings);

/// `read_only`: for a look; nothing is changed and enforce() is refused.
Result<std::unique_ptr<Workload>> open_workload(const WorkloadSettings& settings,
                                                bool read_only = false);

}  // namespace leasehold::agent
