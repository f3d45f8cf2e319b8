// What the readers of adapters' settings share: paths that the agent keeps, programs that must be
// there. Mistakes are added to the table's file.
#pragma once

#include <string>

#include "common/config/file.hpp"

namespace leasehold::agent {

/// The path under `state`, seen from `file`; `wanted` says what it is.
std::string read_kept_file(const ConfigTable& table, const std::string& file, const char* wanted);

bool is_folder(const std::string& path);
/// A file that may be started.
bool is_program(const std::string& path);
/// `bin_dir`, where it is named, has this program.
void check_bin_dir(const ConfigTable& table, const std::string& folder, const char* program);

}  // namespace leasehold::agent
