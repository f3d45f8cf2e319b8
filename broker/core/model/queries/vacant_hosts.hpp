// Vacant places in Cluster::hosts: their host is forgotten, and another may take them. The places
// of hosts are numbers in the ledger, so those of the others stay. Whether a host's slots are idle
// is another matter.
#pragma once

#include <vector>

#include "broker/core/model/cluster.hpp"

namespace leasehold {

/// True if the place has no host: a host without a name is never taken over (check_inventory()).
inline bool is_vacant(const Host& host) {
  return host.facts.name.empty();
}

/// Drops the vacant places behind the last host. Called where the list is made, and where it is
/// read from the log.
inline void drop_vacant_end(std::vector<Host>& hosts) {
  while (!hosts.empty() && is_vacant(hosts.back())) hosts.pop_back();
}

}  // namespace leasehold
