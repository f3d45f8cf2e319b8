// Checks of option values whose errors say what would be right; their help is CLI11's.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace leasehold::ctl {

/// Demands a number from `least` to `most`.
template <class T>
CLI::Validator within(T least, T most) {
  CLI::Validator check = CLI::Range(least, most);
  check.operation([least, most](std::string& typed) -> std::string {
    T value{};
    const bool number = CLI::detail::lexical_cast(typed, value);
    if (number && least <= value && value <= most) return "";
    const char* wrong = !number         ? " is no number"
                        : value < least ? " is too small"
                                        : " is too large";
    std::ostringstream text;
    text << (number ? typed : "'" + typed + "'") << wrong << "; " << least << " to " << most
         << " would be right";
    return text.str();
  });
  return check;
}

/// Demands one of the words, which `right` lists for the error.
inline CLI::Validator one_of(const std::vector<std::string>& words, const std::string& right) {
  CLI::Validator check = CLI::IsMember(words);
  check.operation([words, right](std::string& typed) -> std::string {
    if (std::find(words.begin(), words.end(), typed) != words.end()) return "";
    return "'" + typed + "' is none of its values; " + right + " would be right";
  });
  return check;
}

}  // namespace leasehold::ctl
