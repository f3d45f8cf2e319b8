// Plain text is what a text of a message may be. The configuration checks names.
#pragma once

#include <string_view>

namespace leasehold::wire {

/// True for UTF-8 (no overlong forms, no surrogates) without control characters (C0, DEL, C1): safe
/// to print on a terminal, to log and to put into JSON.
bool is_plain_text(std::string_view text);

}  // namespace leasehold::wire
