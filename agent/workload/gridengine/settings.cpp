#include "agent/workload/gridengine/settings.hpp"

#include "agent/workload/support/read_settings.hpp"

namespace leasehold::agent {

void read_settings(const ConfigTable& table, const std::string&, GridEngineSettings& settings) {
  settings.root = table.required_text("root", "the folder that SGE_ROOT names");
  settings.cell = table.text("cell", settings.cell);
  settings.bin_dir = table.text("bin_dir");
  settings.queue = table.text("queue", settings.queue);
  settings.qmaster_port = table.integer("qmaster_port", 0, {0, 65'535});
  settings.execd_port = table.integer("execd_port", 0, {0, 65'535});
}

void check_named_files(const ConfigTable& table, const GridEngineSettings& settings) {
  const std::string common = settings.root + "/" + settings.cell + "/common";
  if (!is_folder(settings.root)) {
    table.error("root",
                "'root': there is no folder " + settings.root + "; write what SGE_ROOT names");
  } else if (!is_folder(common)) {
    table.error("cell", "'cell': there is no folder " + common + "; write what SGE_CELL names");
  }
  check_bin_dir(table, settings.bin_dir, "qconf");
}

}  // namespace leasehold::agent
