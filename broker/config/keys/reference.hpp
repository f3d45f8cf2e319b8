// The reference of the broker's configuration keys as Markdown, from their tables.
#pragma once

#include <string>

namespace leasehold {

/// Returns the text of config/KEYS.md.
std::string key_reference();

}  // namespace leasehold
