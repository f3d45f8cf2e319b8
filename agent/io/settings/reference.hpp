// The reference of the agent's configuration keys as Markdown, from their tables.
#pragma once

#include <string>

namespace leasehold::agent {

/// Returns the text of config/AGENT_KEYS.md.
std::string key_reference();

}  // namespace leasehold::agent
