// From what was typed to a CommandLine, and what can be typed. CLI11 stays behind this
// (parser.hpp).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "broker/ctl/command_line.hpp"
#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

/// Help or version: printed as it is, exit 0.
struct Help {
  std::string text;
};

/// Errors have the code `usage`: unknown commands and options name the nearest known one.
Result<std::variant<CommandLine, Help>> parse_command_line(int argc, const char* const* argv,
                                                           Instant now);

/// An option, or what a command is about.
struct OptionHelp {
  std::vector<std::string> names;  // "-l", "--long"; of what a command is about: none
  std::string value;               // "TIME"; "": a switch
  std::string what;
  bool required = false;
  bool many = false;
};
struct CommandHelp {
  std::string name;
  std::string what;
  std::string examples;  // as --help ends: "Examples:\n  …"
  std::vector<OptionHelp> subjects;
  std::vector<OptionHelp> options;  // its own
};
struct ProgramHelp {
  std::string what;
  std::string notes;
  std::vector<OptionHelp> options;  // of every command
  std::vector<CommandHelp> commands;
};
/// All that can be typed, in the order of --help: what completion and reference are made of.
ProgramHelp program_help();

}  // namespace leasehold::ctl
