// JSON that is only passed on to people: checked and indented as text. A tree of a long answer
// takes ten times its bytes and most of the time that showing it does.
#pragma once

#include <string>
#include <string_view>

namespace leasehold {

/// Whether parse_json() (json_text.hpp) would read it.
bool is_json(std::string_view text);

/// JSON as nlohmann-json prints it without blanks, as that prints it with an indent of two.
/// Contract: is_json().
std::string indented(std::string_view json);

}  // namespace leasehold
