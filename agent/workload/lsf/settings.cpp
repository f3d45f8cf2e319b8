#include "agent/workload/lsf/settings.hpp"

#include "agent/workload/support/read_settings.hpp"
#include "common/config/keys/reader.hpp"

namespace leasehold::agent {

namespace {

constexpr auto kLsfKeys = std::make_tuple(
    key("env_dir", &LsfSettings::env_dir,
        {.help = "the folder that LSF_ENVDIR names", .wanted = "the folder of lsf.conf"}),
    key("bin_dir", &LsfSettings::bin_dir,
        {.help = "folder of LSF's commands; `\"\"`: `PATH` is searched"}),
    key("settle", &LsfSettings::settle_ms,
        {.help = "time after a fence in which the slots in use may still rise",
         .unit = Unit::milliseconds,
         .range = {0, 600'000}}));

}  // namespace

void read_settings(const ConfigTable& table, LsfSettings& settings) {
  read_keys(table, kLsfKeys, settings);
}

void describe_keys(const LsfSettings& plain, KeyReference& reference) {
  reference.add(kLsfKeys, plain);
}

void check_named_files(const ConfigTable& table, const LsfSettings& settings) {
  if (!is_folder(settings.env_dir)) {
    table.error("env_dir", "'env_dir': there is no folder " + settings.env_dir +
                               "; write what LSF_ENVDIR names, the folder of lsf.conf");
  }
  check_bin_dir(table, settings.bin_dir, "bhosts");
}

}  // namespace leasehold::agent
