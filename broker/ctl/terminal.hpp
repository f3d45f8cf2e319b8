// Terminal: the width of stdout, and whether it takes colours.
#pragma once

#include <cstddef>
#include <string_view>

namespace leasehold::ctl {

/// Returns the number of columns: $COLUMNS, else the terminal's, else 80; 0: stdout is no terminal.
size_t terminal_width();

/// `when`: "always" or "never"; otherwise true where stdout is a terminal that understands colours
/// and NO_COLOR is not set.
bool wants_colour(std::string_view when);

}  // namespace leasehold::ctl
