// CSV as RFC 4180 says it: what a reader of tables and a reader of programs both take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leasehold {

/// One line with its newline. A cell with a comma, a quote or a line's end stands in quotes.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace leasehold
