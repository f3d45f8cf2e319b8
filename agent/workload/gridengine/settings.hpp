// What [workload.gridengine] says.
#pragma once

#include <cstdint>
#include <string>

#include "common/config/keys/reference.hpp"

namespace leasehold::agent {

struct GridEngineSettings {
  std::string root;  // SGE_ROOT
  std::string cell = "default";
  std::string bin_dir;          // "": of the root for this machine, else PATH
  std::string queue = "all.q";  // whose slots are leased
  int64_t qmaster_port = 0;     // 0: as the environment or /etc/services says
  int64_t execd_port = 0;
};

/// Reads [workload.gridengine] by the rows of its keys. Mistakes are added to the table's file.
void read_settings(const ConfigTable& table, GridEngineSettings& settings);
/// Adds the rows, for --describe-config.
void describe_keys(const GridEngineSettings& plain, KeyReference& reference);

/// The files and programs that it names are there; else an error at the key that names them.
void check_named_files(const ConfigTable& table, const GridEngineSettings& settings);

}  // namespace leasehold::agent
