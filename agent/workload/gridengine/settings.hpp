// The settings of [workload.gridengine].
#pragma once

#include <cstdint>
#include <string>

#include "common/config/keys/reference.hpp"

namespace leasehold::agent {

struct GridEngineSettings {
  std::string root;  // SGE_ROOT
  std::string cell = "default";
  std::string bin_dir;          // "": below the root for this machine, else PATH
  std::string queue = "all.q";  // the queue whose slots are leased
  int64_t qmaster_port = 0;     // 0: as the environment or /etc/services says
  int64_t execd_port = 0;
};

/// Reads [workload.gridengine] by the rows of its keys. Mistakes are added to the table's file.
void read_settings(const ConfigTable& table, GridEngineSettings& settings);
/// Adds the rows, for --describe-config.
void describe_keys(const GridEngineSettings& plain, KeyReference& reference);

/// Refuses names that can be part of no command.
Status check_names(const GridEngineSettings& settings);

/// Checks that the files and programs exist; an error is placed at the key that names one.
void check_named_files(const ConfigTable& table, const GridEngineSettings& settings);

}  // namespace leasehold::agent
