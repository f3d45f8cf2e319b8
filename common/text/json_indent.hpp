// JSON that is only passed on to people is checked and indented as text: a tree of a long answer
// takes ten times its bytes and most of the time that showing it does.
#pragma once

#include <string>
#include <string_view>

namespace leasehold {

/// True if parse_json() (json_text.hpp) would read it.
bool is_json(std::string_view text);

/// Returns the JSON as nlohmann-json prints it with an indent of two. Contract: is_json(), and
/// printed by nlohmann-json without blanks.
std::string indented(std::string_view json);

}  // namespace leasehold
