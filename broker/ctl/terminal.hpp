// Terminal: what stdout is: how wide, and whether colours are wanted there.
#pragma once

#include <cstddef>
#include <string_view>

namespace leasehold::ctl {

/// Columns: $COLUMNS, else what the terminal says, else 80; 0: stdout is no terminal.
size_t terminal_width();

/// `when`: "always", "never"; else where stdout is a terminal that understands them and NO_COLOR
/// is not set.
bool wants_colour(std::string_view when);

}  // namespace leasehold::ctl
