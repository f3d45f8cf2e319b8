// CSV as RFC 4180 says it: what a reader of tables and a reader of programs both take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leasehold {

/// One line with its newline. A cell with a comma, a quote or a line's end stands in quotes. A text
/// that a spreadsheet would compute (it begins with = + - @, a tab or a return, and is no number)
/// has an apostrophe before it.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace leasehold
