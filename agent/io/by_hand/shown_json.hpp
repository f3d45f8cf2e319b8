// The JSON that lease-agent prints of what it found.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace leasehold::agent {

/// The value as text; `indent` below 0: on one line. Workload managers and command lines name hosts
/// and jobs in any bytes, JSON is UTF-8: what is no UTF-8 in a text is replaced by U+FFFD.
std::string shown_json(const nlohmann::ordered_json& value, int indent);

}  // namespace leasehold::agent
