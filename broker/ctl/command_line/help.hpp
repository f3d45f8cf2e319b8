// Prints what can be typed: commands in groups, and with each command the options that every
// command takes. For parser.cpp and parse.cpp only.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "common/result.hpp"

namespace leasehold::ctl {

/// Returns the heading under which `leasectl --help` lists the command.
const char* command_group(const std::string& command);

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_footer(const CLI::App* app) const override;
  /// Shows only the kind of its value: CLI11's notes on checks and exclusions are of no use to
  /// people.
  std::string make_option_opts(const CLI::Option* option) const override;
};

/// Returns the text of `leasectl help COMMAND`; "" lists the commands. Error (usage): there is no
/// such command; it names the nearest.
Result<std::string> help_text(const CLI::App& app, const std::string& command);

}  // namespace leasehold::ctl
