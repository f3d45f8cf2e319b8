// Says what is wrong with words of a command line that CLI11 did not take, and what would be right.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace leasehold {

/// Returns what is wrong with the first word that was left over: an option or a command that is not
/// known, or a word too many; "" if none was. It ends with a question where a name is near; options
/// that --help hides are not suggested.
std::string wrong_word(const CLI::App& app);

/// Returns the sentence for a command that is not known.
std::string unknown_command(const CLI::App& app, const std::string& word);

/// Says what CLI11 found: an option without its value, or one that is there more than once.
/// `list`: the option that takes several values, separated by commas, though its value does not
/// show it.
std::string count_mismatch(const CLI::App& app, const std::string& found,
                           const std::string& list = "");

/// Ends the parsing of a daemon's command line that `error` ended: prints the help or the version
/// that was asked for, else what is wrong and where to read what is right. Returns the exit code.
int end_parsing(const CLI::App& app, const std::string& program, const CLI::ParseError& error);

}  // namespace leasehold
