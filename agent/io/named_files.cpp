#include "agent/io/named_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

namespace leasehold::agent {

namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
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

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Every slurm.conf says ClusterName, unless a file that it includes does.
bool reads_as_slurm_conf(const std::string& text) {
  std::istringstream lines(lower(text));
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    const std::string_view word(line.data() + first, line.size() - first);
    if (word.starts_with("clustername") || word.starts_with("include")) return true;
  }
  return false;
}

void check_slurm(const ConfigTable& table, const SlurmSettings& settings) {
  const Result<std::string> conf = read_text_file(settings.conf);
  const std::string right = "; write the path of this cluster's slurm.conf";
  if (!conf) {
    table.error("conf", "'conf': " + describe(conf.error()) + right);
  } else if (!reads_as_slurm_conf(*conf)) {
    table.error("conf",
                "'conf': " + settings.conf + " is no slurm.conf: it says no ClusterName" + right);
  }
  check_bin_dir(table, settings.bin_dir, "scontrol");
}

void check_gridengine(const ConfigTable& table, const GridEngineSettings& settings) {
  const std::string common = settings.root + "/" + settings.cell + "/common";
  if (!is_folder(settings.root)) {
    table.error("root",
                "'root': there is no folder " + settings.root + "; write what SGE_ROOT names");
  } else if (!is_folder(common)) {
    table.error("cell", "'cell': there is no folder " + common + "; write what SGE_CELL names");
  }
  check_bin_dir(table, settings.bin_dir, "qconf");
}

void check_lsf(const ConfigTable& table, const LsfSettings& settings) {
  if (!is_folder(settings.env_dir)) {
    table.error("env_dir", "'env_dir': there is no folder " + settings.env_dir +
                               "; write what LSF_ENVDIR names, the folder of lsf.conf");
  }
  check_bin_dir(table, settings.bin_dir, "bhosts");
}

void check_command(const ConfigTable& table, const CommandSettings& settings) {
  const std::string& program = settings.argv.front();
  if (program.find('/') == std::string::npos || is_program(program)) return;
  table.error("argv", "'argv': there is no program " + program + " that may be started");
}

}  // namespace

void check_named_files(const ConfigTable& workload, const WorkloadSettings& settings) {
  switch (settings.kind) {
    case WorkloadKind::simulated:
      return;
    case WorkloadKind::slurm:
      return check_slurm(workload.table("slurm"), settings.slurm);
    case WorkloadKind::gridengine:
      return check_gridengine(workload.table("gridengine"), settings.gridengine);
    case WorkloadKind::lsf:
      return check_lsf(workload.table("lsf"), settings.lsf);
    case WorkloadKind::command:
      return check_command(workload.table("command"), settings.command);
  }
}

}  // namespace leasehold::agent
