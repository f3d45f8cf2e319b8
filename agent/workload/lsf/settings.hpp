// What [workload.lsf] says.
#pragma once

#include <cstdint>
#include <string>

#include "common/config/keys/reference.hpp"

namespace leasehold::agent {

struct LsfSettings {
  std::string env_dir;  // where lsf.conf lies
  std::string bin_dir;
  int64_t settle_ms = 15'000;  // until `bhosts` shows a change (MBD_REFRESH_TIME), and a cycle
};

/// Reads [workload.lsf] by the rows of its keys. Mistakes are added to the table's file.
void read_settings(const ConfigTable& table, LsfSettings& settings);
/// Adds the rows, for --describe-config.
void describe_keys(const LsfSettings& plain, KeyReference& reference);

/// The files and programs that it names are there; else an error at the key that names them.
void check_named_files(const ConfigTable& table, const LsfSettings& settings);

}  // namespace leasehold::agent
