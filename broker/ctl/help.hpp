// How leasectl prints what can be typed: commands in groups, and with each command the options that
// every command takes. For parser.cpp and parse.cpp only.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "common/result.hpp"

namespace leasehold::ctl {

/// The heading under which `leasectl --help` lists the command.
const char* command_group(const std::string& command);

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_footer(const CLI::App* app) const override;
  /// The kind of its value alone: what CLI11 adds of checks and exclusions says nothing to people.
  std::string make_option_opts(const CLI::Option* option) const override;
};

/// What `leasectl help COMMAND` prints; "": the list of commands. Error (usage): there is no such
/// command; the nearest is named.
Result<std::string> help_text(const CLI::App& app, const std::string& command);

}  // namespace leasehold::ctl
