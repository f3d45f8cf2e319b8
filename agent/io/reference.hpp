// The reference of the agent's configuration keys as Markdown, from their tables.
#pragma once

#include <string>

namespace leasehold::agent {

/// config/AGENT_KEYS.md, to the letter.
std::string key_reference();

}  // namespace leasehold::agent
