// The settings of [workload.command].
#pragma once

#include <string>
#include <vector>

#include "common/config/keys/reference.hpp"

namespace leasehold::agent {

struct CommandSettings {
  std::vector<std::string> argv;  // the site's own program (agent/workload/README.md)
};

/// Reads [workload.command] by the rows of its keys. Mistakes are added to the table's file.
void read_settings(const ConfigTable& table, CommandSettings& settings);
/// Adds the rows, for --describe-config.
void describe_keys(const CommandSettings& plain, KeyReference& reference);

/// Checks that the files and programs exist; an error is placed at the key that names one.
void check_named_files(const ConfigTable& table, const CommandSettings& settings);

}  // namespace leasehold::agent
