// CSV by RFC 4180, as readers of tables and programs both take it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leasehold {

/// Returns one line with its newline. A cell with a comma, a quote or a line break is quoted. A
/// text that a spreadsheet would compute (it begins with = + - @, a tab or a return, and is no
/// number) gets an apostrophe before it.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace leasehold
