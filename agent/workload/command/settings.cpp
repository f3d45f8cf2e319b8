#include "agent/workload/command/settings.hpp"

#include "agent/workload/support/read_settings.hpp"

namespace leasehold::agent {

void read_settings(const ConfigTable& table, const std::string&, CommandSettings& settings) {
  settings.argv = table.texts("argv");
  if (settings.argv.empty())
    table.error("argv",
                "no program is named; right would be argv = [\"/opt/site/leasehold-adapter\"]");
}

void check_named_files(const ConfigTable& table, const CommandSettings& settings) {
  const std::string& program = settings.argv.front();
  if (program.find('/') == std::string::npos || is_program(program)) return;
  table.error("argv", "'argv': there is no program " + program + " that may be started");
}

}  // namespace leasehold::agent
