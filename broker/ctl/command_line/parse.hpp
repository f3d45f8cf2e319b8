// Parses the command line into a CommandLine, and lists all that can be typed. Only parser.hpp
// knows CLI11.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "broker/ctl/command_line/command_line.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold::ctl {

/// The text of a help or of the version: it is printed unchanged, exit 0.
struct Help {
  std::string text;
};

/// Parses the arguments. Errors have the code `usage`; those for unknown commands and options name
/// the nearest known one.
Result<std::variant<CommandLine, Help>> parse_command_line(int argc, const char* const* argv,
                                                           Instant now);

/// An option, or the subject of a command.
struct OptionHelp {
  std::vector<std::string> names;  // "-l", "--long"; empty for a subject
  std::string value;               // "TIME"; "": a switch
  std::string what;
  bool required = false;
  bool many = false;
};
struct CommandHelp {
  std::string name;
  std::string what;
  std::string examples;  // the end of --help: "Examples:\n  …"
  std::vector<OptionHelp> subjects;
  std::vector<OptionHelp> options;  // its own
};
struct ProgramHelp {
  std::string what;
  std::string notes;
  std::vector<OptionHelp> options;  // of every command
  std::vector<CommandHelp> commands;
};
/// Returns all that can be typed, in the order of --help; completion and reference are made from
/// it.
ProgramHelp program_help();

}  // namespace leasehold::ctl
