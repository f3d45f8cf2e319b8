// The words of resource requirements, shared by reading and printing them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "broker/rules/select/select.hpp"

namespace leasehold {

/// Longest first, so that "<=" is not read as "<".
inline constexpr std::array<std::pair<std::string_view, Selection::Operator>, 6> kOperators{{
    {"==", Selection::Operator::equal},
    {"!=", Selection::Operator::not_equal},
    {"<=", Selection::Operator::less_equal},
    {">=", Selection::Operator::greater_equal},
    {"<", Selection::Operator::less},
    {">", Selection::Operator::greater},
}};

/// The first name of a subject is the one printed.
inline constexpr std::array<std::pair<std::string_view, Selection::Subject>, 6> kSubjects{{
    {"type", Selection::Subject::type},
    {"model", Selection::Subject::model},
    {"slots", Selection::Subject::slots},
    {"mem", Selection::Subject::mem},
    {"swp", Selection::Subject::swap},
    {"swap", Selection::Subject::swap},
}};

inline std::string_view operator_word(Selection::Operator op) {
  return std::find_if(kOperators.begin(), kOperators.end(),
                      [op](const auto& entry) { return entry.second == op; })
      ->first;
}

inline std::string_view subject_name(Selection::Subject subject) {
  return std::find_if(kSubjects.begin(), kSubjects.end(),
                      [subject](const auto& entry) { return entry.second == subject; })
      ->first;
}

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
/// True for a character of a name, or of a value without quotes.
inline bool is_word_char(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '/' || c == '+' || c == '@';
}

}  // namespace leasehold
