// Of an export policy what no single setting says: whom its hosts go to, which of them are unknown.
// For the .cpp files of this folder only.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Of a policy with by_host, whom each host goes to: {"west":["big1","big3"],"north":["big2"]}.
Json hosts_dealt(const ExportPolicy& policy);

/// Hosts that the policy names and the agent of its provider does not know; of an agent that has
/// reported none yet: none.
std::vector<std::string> unknown_hosts(const State& state, const PolicyState& policy);

}  // namespace leasehold
