#include "agent/workload/command/settings.hpp"

#include "agent/workload/support/read_settings.hpp"
#include "common/config/keys/reader.hpp"

namespace leasehold::agent {

namespace {

constexpr auto kCommandKeys = std::make_tuple(
    key("argv", &CommandSettings::argv,
        {.help = "the program with its arguments: \"Workload managers\" in the guide",
         .wanted = "your program, as in argv = [\"/opt/site/leasehold-adapter\"]"}));

}  // namespace

void read_settings(const ConfigTable& table, CommandSettings& settings) {
  read_keys(table, kCommandKeys, settings);
}

void describe_keys(const CommandSettings& plain, KeyReference& reference) {
  reference.add(kCommandKeys, plain);
}

void check_named_files(const ConfigTable& table, const CommandSettings& settings) {
  const std::string& program = settings.argv.front();
  if (program.find('/') == std::string::npos || is_program(program)) return;
  table.error("argv", "'argv': there is no program " + program + " that may be started");
}

}  // namespace leasehold::agent
