// The settings of [workload.lsf].
#pragma once

#include <cstdint>
#include <string>

#include "common/config/keys/reference.hpp"

namespace leasehold::agent {

struct LsfSettings {
  std::string env_dir;  // the folder of lsf.conf
  std::string bin_dir;
  int64_t settle_ms = 15'000;  // until `bhosts` shows a change (MBD_REFRESH_TIME), and a cycle
};

/// Reads [workload.lsf] by the rows of its keys. Mistakes are added to the table's file.
void read_settings(const ConfigTable& table, LsfSettings& settings);
/// Adds the rows, for --describe-config.
void describe_keys(const LsfSettings& plain, KeyReference& reference);

/// Checks that the files and programs exist; an error is placed at the key that names one.
void check_named_files(const ConfigTable& table, const LsfSettings& settings);

}  // namespace leasehold::agent
