#include "common/text/refused_words.hpp"

#include <CLI/CLI.hpp>
#include <vector>

#include "common/config/file.hpp"
#include "common/result.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

void add_option_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
}

std::string unknown_option(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  add_option_names(app, names);
  for (const CLI::App* command : app.get_subcommands()) add_option_names(*command, names);
  return "unknown option '" + word + "'" + did_you_mean(word.substr(0, word.find('=')), names);
}

/// A word that is not known comes first: an option that is missing may be the one that was
/// mistyped.
std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
  if (const std::string wrong = wrong_word(app); !wrong.empty()) return wrong;
  const bool counted = error.get_name() == "ArgumentMismatch";
  return counted ? count_mismatch(app, error.what()) : error.what();
}

}  // namespace

std::string unknown_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = command_names(app);
  std::string meant = did_you_mean(word, names);
  // The plural of such a word is not near by its letters: "policy".
  if (meant.empty() && word.ends_with('y')) {
    meant = did_you_mean(word.substr(0, word.size() - 1) + "ies", names);
  }
  return "unknown command '" + word + "'" + meant;
}

std::string wrong_word(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true);
  if (extras.empty()) return "";
  const std::string& word = extras.front();
  if (word.size() > 1 && word[0] == '-') return unknown_option(app, word);
  const bool wants_command = app.get_subcommands().empty() && !command_names(app).empty();
  return wants_command ? unknown_command(app, word) : "'" + word + "' is one word too many";
}

std::string count_mismatch(const CLI::App& app, const std::string& found, const std::string& list) {
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

int end_parsing(const CLI::App& app, const std::string& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::string typed = program;
  for (const CLI::App* command : app.get_subcommands()) typed += " " + command->get_name();
  const std::string wrong = what_is_wrong(app, error);
  print_error(program + ": " + wrong + (wrong.ends_with('?') ? " Else see " : "; see ") + typed +
              " --help");
  return exit_code(ErrorCode::usage);
}

}  // namespace leasehold
