#include "agent/workload/gridengine/settings.hpp"

#include "agent/workload/support/read_settings.hpp"
#include "common/config/keys/reader.hpp"

namespace leasehold::agent {

namespace {

constexpr IntRange kPorts{0, 65'535};

constexpr auto kGridEngineKeys = std::make_tuple(
    key("root", &GridEngineSettings::root,
        {.help = "the folder that SGE_ROOT names", .wanted = "the folder that SGE_ROOT names"}),
    key("cell", &GridEngineSettings::cell, {.help = "the cell that SGE_CELL names"}),
    key("bin_dir", &GridEngineSettings::bin_dir,
        {.help = "folder of Grid Engine's commands; `\"\"`: that of the root, else `PATH`"}),
    key("queue", &GridEngineSettings::queue, {.help = "the queue whose slots are fenced"}),
    key("qmaster_port", &GridEngineSettings::qmaster_port,
        {.help = "the qmaster's port; 0: as the environment or the services say", .range = kPorts}),
    key("execd_port", &GridEngineSettings::execd_port,
        {.help = "the port of execution daemons; 0: likewise", .range = kPorts}));

}  // namespace

void read_settings(const ConfigTable& table, GridEngineSettings& settings) {
  read_keys(table, kGridEngineKeys, settings);
}

void describe_keys(const GridEngineSettings& plain, KeyReference& reference) {
  reference.add(kGridEngineKeys, plain);
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

Status check_names(const GridEngineSettings& settings) {
  const auto bad = [](const std::string& key, const std::string& what) {
    return fail(ErrorCode::usage, "[workload.gridengine] " + key + ": '" + what +
                                      "' can be part of no command here; right would be a name "
                                      "without spaces, commas and brackets");
  };
  constexpr const char* kSpecial = " \t\n,[]=@*?";
  if (settings.queue.empty() || settings.queue.find_first_of(kSpecial) != std::string::npos) {
    return bad("queue", settings.queue);
  }
  if (settings.cell.empty() || settings.cell.find_first_of("/ \t\n") != std::string::npos) {
    return bad("cell", settings.cell);
  }
  return {};
}

}  // namespace leasehold::agent
