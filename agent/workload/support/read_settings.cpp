#include "agent/workload/support/read_settings.hpp"

#include <unistd.h>

#include <filesystem>

#include "common/files/kept_file.hpp"

namespace leasehold::agent {

std::string kept_state_fault(const std::string& path) {
  const std::string fault = kept_name_fault(path);
  return fault.empty() ? "" : "'state' " + fault;
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

bool is_program(const std::string& path) {
  return !is_folder(path) && ::access(path.c_str(), X_OK) == 0;
}

void check_bin_dir(const ConfigTable& table, const std::string& folder, const char* program) {
  if (folder.empty() || is_program(folder + "/" + program)) return;
  table.error("bin_dir", "'bin_dir': there is no program " + folder + "/" + program +
                             "; name the folder of the workload manager's commands, or leave it "
                             "out: then PATH is searched");
}

}  // namespace leasehold::agent
