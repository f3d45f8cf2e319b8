#include "agent/workload/support/read_settings.hpp"

#include <unistd.h>

#include <filesystem>

#include "common/kept_file.hpp"

namespace leasehold::agent {

std::string read_kept_file(const ConfigTable& table, const std::string& file, const char* wanted) {
  const std::string path = table.required_text("state", wanted);
  if (const std::string fault = kept_name_fault(path); !fault.empty())
    table.error("state", "'state' " + fault);
  return relative_to(file, path);
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
