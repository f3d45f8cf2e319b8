// Shared by the readers of adapters' settings: paths that the agent keeps, and programs that must
// exist. Mistakes are added to the table's file.
#pragma once

#include <string>

#include "common/config/file.hpp"

namespace leasehold::agent {

/// Returns what is wrong with the name of a file under the key `state`; "": nothing.
std::string kept_state_fault(const std::string& path);

bool is_folder(const std::string& path);
/// True for a file that may be started.
bool is_program(const std::string& path);
/// Checks that `bin_dir`, where it is set, has this program.
void check_bin_dir(const ConfigTable& table, const std::string& folder, const char* program);

}  // namespace leasehold::agent
