// The text that `lease-agent --probe` prints for people. Scripts read the same document as JSON
// (--json).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace leasehold::agent {

/// `found`: the document that schema/json/probe.schema.json describes. The last line says
/// whether the agent can be started.
std::string probe_text(const nlohmann::ordered_json& found);

}  // namespace leasehold::agent
