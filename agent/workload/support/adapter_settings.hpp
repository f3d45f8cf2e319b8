// Settings of adapters to real workload managers, as [workload] and [hosts] of the agent's file say
// (config/agent.toml).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/limits/host_names.hpp"

namespace leasehold::agent {

/// What all of them need.
struct AdapterSettings {
  std::string cluster;                         // this one's name
  HostNames names;                             // what imported hosts are called here
  std::vector<std::string> leased_partitions;  // or queues: which pending jobs could run on leased
                                               // hosts; empty: all
  std::string interrupt_signal = "USR1";       // without SIG
  int64_t call_timeout_ms = 20'000;            // of each external program
  std::string journal;  // path: what the fences in force were made from (cap_journal.hpp)
};

enum class SlurmFence : uint8_t { reservation, hold_job };

struct SlurmSettings {
  std::string conf = "/etc/slurm/slurm.conf";
  std::string bin_dir;  // "": programs are looked for in PATH
  SlurmFence fence = SlurmFence::reservation;
};

struct GridEngineSettings {
  std::string root;  // SGE_ROOT
  std::string cell = "default";
  std::string bin_dir;          // "": of the root for this machine, else PATH
  std::string queue = "all.q";  // whose slots are leased
  int64_t qmaster_port = 0;     // 0: as the environment or /etc/services says
  int64_t execd_port = 0;
};

struct LsfSettings {
  std::string env_dir;  // where lsf.conf lies
  std::string bin_dir;
  int64_t settle_ms = 15'000;  // until `bhosts` shows a change (MBD_REFRESH_TIME), and a cycle
};

struct CommandSettings {
  std::vector<std::string> argv;  // the site's own program (agent/workload/README.md)
};

}  // namespace leasehold::agent
