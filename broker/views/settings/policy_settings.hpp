// Facts about an export policy that no single setting contains: which consumer gets each host, and
// which hosts are unknown.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns the hosts of each consumer under by_host: {"west":["big1","big3"],"north":["big2"]}.
Json hosts_dealt(const ExportPolicy& policy);

/// Returns which line gives the policy a rule of somebody's choice. Contract: rule_by_default.
std::string remedy_of_default_rule(const ExportPolicy& policy);

/// Returns the hosts that the policy names and its provider's agent does not report; empty while
/// that agent has reported none yet.
std::vector<std::string> unknown_hosts(const State& state, const PolicyState& policy);

}  // namespace leasehold
