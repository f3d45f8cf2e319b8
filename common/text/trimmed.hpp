// Text without the blanks round it.
#pragma once

#include <string_view>

namespace leasehold {

inline constexpr std::string_view kBlanks = " \t\n\v\f\r";

inline std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace leasehold
