#include "agent/workload/lsf/settings.hpp"

#include "agent/workload/support/read_settings.hpp"

namespace leasehold::agent {

void read_settings(const ConfigTable& table, const std::string&, LsfSettings& settings) {
  settings.env_dir = table.required_text("env_dir", "the folder of lsf.conf");
  settings.bin_dir = table.text("bin_dir");
  settings.settle_ms = table.duration_ms("settle", settings.settle_ms, {0, 600'000});
}

void check_named_files(const ConfigTable& table, const LsfSettings& settings) {
  if (!is_folder(settings.env_dir)) {
    table.error("env_dir", "'env_dir': there is no folder " + settings.env_dir +
                               "; write what LSF_ENVDIR names, the folder of lsf.conf");
  }
  check_bin_dir(table, settings.bin_dir, "bhosts");
}

}  // namespace leasehold::agent
