// Says what is wrong with words that CLI11 does not take. For files of programs that link CLI11;
// nothing else of common/ includes it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/config/file.hpp"
#include "common/result.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

inline std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

/// Options that --help hides are left out.
inline void add_option_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
}

inline std::string unknown_option(const std::string& word, const std::vector<std::string>& names) {
  return "unknown option '" + word + "'" + did_you_mean(word.substr(0, word.find('=')), names);
}

inline std::string unknown_command(const std::string& word, const std::vector<std::string>& names) {
  std::string meant = did_you_mean(word, names);
  // The plural of such a word is not near by its letters: "policy".
  if (meant.empty() && word.ends_with('y')) {
    meant = did_you_mean(word.substr(0, word.size() - 1) + "ies", names);
  }
  return "unknown command '" + word + "'" + meant;
}

inline bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

/// Says what CLI11 found: an option without its value, or one that is there more than once.
/// `list`: the option that takes several values, separated by commas, though its value does not
/// show it.
inline std::string count_mismatch(const CLI::App& app, const std::string& found,
                                  const std::string& list = "") {
  const std::string name = found.substr(0, found.find(':'));
  const CLI::Option* option = nullptr;
  for (const CLI::App* chosen : app.get_subcommands()) option = chosen->get_option_no_throw(name);
  if (option == nullptr) option = app.get_option_no_throw(name);
  if (option == nullptr) return found;
  const std::string value = option->get_type_name();
  const std::string shown = value.substr(0, value.find(':'));  // without what checks add
  if (option->results().empty()) return name + " needs a value: " + shown;
  const bool several = name == list || shown.find(',') != std::string::npos;
  return name + " is given more than once; " +
         (several ? "several are separated by commas" : "once would be right");
}

/// Says what is wrong, of a program that takes no words but those that it knows. A word that is not
/// known comes first: an option that is missing may be the one that was mistyped.
inline std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> extras = app.remaining(true);
  if (extras.empty()) {
    const bool counted = error.get_name() == "ArgumentMismatch";
    return counted ? count_mismatch(app, error.what()) : error.what();
  }
  const std::string& word = extras.front();
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (looks_like_option(word)) {
    std::vector<std::string> names;
    add_option_names(app, names);
    for (const CLI::App* command : chosen) add_option_names(*command, names);
    return unknown_option(word, names);
  }
  const std::vector<std::string> commands = command_names(app);
  if (chosen.empty() && !commands.empty()) return unknown_command(word, commands);
  return "'" + word + "' is one word too many";
}

/// Ends the parsing of a daemon's command line that `error` ended: prints the help or the version
/// that was asked for, else what is wrong and where to read what is right. Returns the exit code.
inline int end_parsing(const CLI::App& app, const std::string& program,
                       const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::string typed = program;
  for (const CLI::App* command : app.get_subcommands()) typed += " " + command->get_name();
  const std::string wrong = what_is_wrong(app, error);
  print_error(program + ": " + wrong + (wrong.ends_with('?') ? " Else see " : "; see ") + typed +
              " --help");
  return exit_code(ErrorCode::usage);
}

}  // namespace leasehold
