// HostNames: what the hosts of a scenario are called. Of one alone the cluster's or the policy's
// name; of several that name and a number. Nothing else of a host: how many slots it has says the
// scenario.
#pragma once

#include <string>
#include <vector>

#include "broker/simulate/scenario.hpp"

namespace leasehold {

struct HostNames {
  std::vector<std::vector<std::string>> own;       // by cluster
  std::vector<std::vector<std::string>> exported;  // by policy
};

/// Of the exported hosts no two have one name, and no own one has that of an exported one.
HostNames name_hosts(const Scenario& scenario);

}  // namespace leasehold
