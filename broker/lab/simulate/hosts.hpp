// HostNames: the names of a scenario's hosts. A single host has the name of its cluster or policy;
// several have that name and a number. The scenario has all other facts about hosts.
#pragma once

#include <string>
#include <vector>

#include "broker/lab/simulate/scenario/scenario.hpp"

namespace leasehold {

struct HostNames {
  std::vector<std::vector<std::string>> own;       // by cluster
  std::vector<std::vector<std::string>> exported;  // by policy
};

/// No two exported hosts have one name, and no own host has the name of an exported one.
HostNames name_hosts(const Scenario& scenario);

}  // namespace leasehold
