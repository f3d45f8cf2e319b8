#include "agent/workload/slurm/settings.hpp"

#include <sstream>

#include "agent/workload/support/read_settings.hpp"
#include "common/config/keys/reader.hpp"
#include "common/text/lower_case.hpp"

namespace leasehold::agent {

namespace {

constexpr auto kSlurmKeys = std::make_tuple(
    key("conf", &SlurmSettings::conf, {.help = "this cluster's slurm.conf", .path = true}),
    key("bin_dir", &SlurmSettings::bin_dir,
        {.help = "folder of Slurm's commands; `\"\"`: `PATH` is searched"}),
    key("fence", &SlurmSettings::fence,
        {.help = "the means that keeps slots from jobs; `hold-job` where the agent may make no "
                 "reservation"}),
    key("power_risk", &SlurmSettings::power_risk,
        {.help = "hosts that Slurm's power saving could switch off under another cluster's work: "
                 "`refuse` lends none, `accept` lends them"}));

/// Every slurm.conf has ClusterName, or includes a file that has it.
bool reads_as_slurm_conf(const std::string& text) {
  std::istringstream lines(lower_case(text));
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    const std::string_view word(line.data() + first, line.size() - first);
    if (word.starts_with("clustername") || word.starts_with("include")) return true;
  }
  return false;
}

}  // namespace

void read_settings(const ConfigTable& table, SlurmSettings& settings) {
  read_keys(table, kSlurmKeys, settings);
}

void describe_keys(const SlurmSettings& plain, KeyReference& reference) {
  reference.add(kSlurmKeys, plain);
}

void check_named_files(const ConfigTable& table, const SlurmSettings& settings) {
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

}  // namespace leasehold::agent
