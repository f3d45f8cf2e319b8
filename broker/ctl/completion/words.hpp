// Words: what the completions of all shells are made of. For this folder only.
#pragma once

#include <string>
#include <vector>

#include "broker/ctl/parse.hpp"

namespace leasehold::ctl::words {

using Text = std::string;

/// What may stand where help says FILE, LEASE, …: these words, or the names of these tables.
struct Kind {
  Text name;
  std::vector<Text> fixed = {};
  std::vector<Text> tables = {};
  bool files = false;
};
const std::vector<Kind>& kinds();
/// nullptr: anything may stand there.
const Kind* kind_of(const Text& value);

Text joined(const std::vector<Text>& words);
Text names_of(const std::vector<OptionHelp>& options);

/// Variables and functions that bash and zsh both read: the commands, the options of each, what the
/// value of an option or the subject of a command is, and what may stand for each kind of them.
Text shell_functions(const ProgramHelp& program);

}  // namespace leasehold::ctl::words
