// Words: the parts that the completions of all shells share. For this folder only.
#pragma once

#include <string>
#include <vector>

#include "broker/ctl/command_line/parse.hpp"

namespace leasehold::ctl::words {

using Text = std::string;

/// The values offered where help says FILE, LEASE, …: fixed words, or the names in these tables.
struct Kind {
  Text name;
  std::vector<Text> fixed = {};
  std::vector<Text> tables = {};
  bool files = false;
};
const std::vector<Kind>& kinds();
/// Returns nullptr where any text is allowed.
const Kind* kind_of(const Text& value);

Text names_of(const std::vector<OptionHelp>& options);

/// Returns variables and functions for both bash and zsh: the commands, the options of each, the
/// kind of an option's value or a command's subject, and the words for each kind.
Text shell_functions(const ProgramHelp& program);

}  // namespace leasehold::ctl::words
