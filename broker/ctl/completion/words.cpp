#include "broker/ctl/completion/words.hpp"

#include "broker/core/model/state.hpp"
#include "common/reason.hpp"
#include "common/text/joined.hpp"

namespace leasehold::ctl::words {

namespace {

std::vector<Text> phases() {
  std::vector<Text> list;
  for (const Token<Phase>& phase : kTokensOf<Phase>) list.emplace_back(phase.token);
  return list;
}

std::vector<Text> reasons() {
  std::vector<Text> list;
  for (int i = 0; i < kReasonCount; ++i) list.emplace_back(token(static_cast<Reason>(i)));
  return list;
}

std::vector<Text> commands() {
  std::vector<Text> list;
  for (const CommandHelp& command : program_help().commands) list.push_back(command.name);
  return list;
}

/// Returns a shell function with one case a line.
Text function(const Text& name, const Text& takes, const Text& of, const Text& cases) {
  return "\n" + name + "() { # " + takes + "\n  case " + of + " in\n" + cases + "  esac\n}\n";
}

Text one_case(const Text& pattern, const Text& answer) {
  return "    " + pattern + ") echo \"" + answer + "\" ;;\n";
}

Text options_function(const ProgramHelp& program) {
  Text cases;
  for (const CommandHelp& command : program.commands) {
    if (!command.options.empty()) cases += one_case(command.name, names_of(command.options));
  }
  return function("_leasectl_options", "COMMAND: its own options", "$1", cases);
}

Text subject_function(const ProgramHelp& program) {
  Text cases;
  for (const CommandHelp& command : program.commands) {
    if (command.subjects.empty()) continue;
    cases += one_case(command.name, command.subjects.front().value);
  }
  return function("_leasectl_subject", "COMMAND: the kind of what it is about", "$1", cases);
}

/// `command`: "*" means every command.
Text value_cases(const Text& command, const std::vector<OptionHelp>& options) {
  Text cases;
  for (const OptionHelp& option : options) {
    if (option.value.empty()) continue;
    Text pattern;
    for (const Text& name : option.names) {
      pattern += (pattern.empty() ? "" : " | ") + command + "\" " + name + "\"";
    }
    cases += one_case(pattern, option.value);
  }
  return cases;
}

Text value_function(const ProgramHelp& program) {
  Text cases;
  for (const CommandHelp& command : program.commands) {
    cases += value_cases(command.name, command.options);
  }
  cases += value_cases("*", program.options);  // a command's own option comes before
  return function("_leasectl_value_of", "COMMAND OPTION: the kind of its value; a switch has none",
                  "\"$1 $2\"", cases);
}

Text kind_functions() {
  Text fixed;
  Text tables;
  Text files;
  for (const Kind& kind : kinds()) {
    if (!kind.fixed.empty()) fixed += one_case(kind.name, joined(kind.fixed, " "));
    if (!kind.tables.empty()) tables += one_case(kind.name, joined(kind.tables, " "));
    if (kind.files) files += one_case(kind.name, "files");
  }
  return function("_leasectl_words", "KIND: the words that may stand there", "$1", fixed) +
         function("_leasectl_tables", "KIND: the tables whose names may stand there", "$1",
                  tables) +
         function("_leasectl_files", "KIND: whether a file may stand there", "$1", files);
}

Text variable(const char* name, const Text& words) {
  return Text(name) + "=\"" + words + "\"\n";
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list{
      {"LEASE", {}, {"leases"}},
      {"SUBJECT", {}, {"leases", "clusters", "consumers"}},
      {"CLUSTER", {}, {"clusters"}},
      {"HOST", {}, {"hosts"}},
      {"POLICY", {}, {"policies"}},
      {"CONSUMER", {}, {"clusters", "consumers"}},
      {"PHASE", phases()},
      {"REASON", reasons()},
      {"FORM", {"table", "wide", "name", "csv", "json"}},
      {"WHEN", {"auto", "always", "never"}},
      {"SHELL", {"bash", "zsh", "fish"}},
      {"PAGE", {"commands", "reasons", "events"}},
      {"WHOSE", {"user", "account", "session"}},
      {"COMMAND", commands()},
      {"GROUP", {}, {"groups"}},
      {"FILE", {}, {}, true},
      {"NAME", {}, {}, true},
      {"DB", {}, {}, true},
      {"SCENARIO", {}, {}, true},
  };
  return list;
}

const Kind* kind_of(const Text& value) {
  for (const Kind& kind : kinds()) {
    if (kind.name == value) return &kind;
  }
  return nullptr;
}

Text names_of(const std::vector<OptionHelp>& options) {
  std::vector<Text> names;
  for (const OptionHelp& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return joined(names, " ");
}

Text shell_functions(const ProgramHelp& program) {
  std::vector<Text> commands;
  for (const CommandHelp& command : program.commands) commands.push_back(command.name);
  return "\n" + variable("_leasectl_commands", joined(commands, " ")) +
         variable("_leasectl_common", names_of(program.options)) + options_function(program) +
         subject_function(program) + value_function(program) + kind_functions() + R"sh(
_leasectl_ask() { # TABLE: what names its rows, of the broker (or --db) that the line names
  leasectl "$1" -o name --timeout 300ms "${_leasectl_where[@]}" 2>/dev/null | sort -u
}
)sh";
}

}  // namespace leasehold::ctl::words
