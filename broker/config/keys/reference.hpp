// The reference of the broker's configuration keys as Markdown, from their tables.
#pragma once

#include <string>

namespace leasehold {

/// config/KEYS.md, to the letter.
std::string key_reference();

}  // namespace leasehold
