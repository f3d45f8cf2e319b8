// What the readers of adapters' settings share: paths that the agent keeps, programs that must be
// there. Mistakes are added to the table's file.
#pragma once

#include <string>

#include "common/config/file.hpp"

namespace leasehold::agent {

/// What is wrong with the name of a file that is kept under the key `state`; "" is right.
std::string kept_state_fault(const std::string& path);

bool is_folder(const std::string& path);
/// A file that may be started.
bool is_program(const std::string& path);
/// `bin_dir`, where it is named, has this program.
void check_bin_dir(const ConfigTable& table, const std::string& folder, const char* program);

}  // namespace leasehold::agent
