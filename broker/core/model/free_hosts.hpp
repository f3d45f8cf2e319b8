// Places in Cluster::hosts whose host is forgotten. They are free until another host takes them:
// the places of hosts are numbers in the ledger, so those of the others stay.
#pragma once

#include <vector>

#include "broker/core/model/cluster.hpp"

namespace leasehold {

/// The place has no host. (A host without a name is never taken: check_inventory().)
inline bool is_free(const Host& host) {
  return host.facts.name.empty();
}

/// Free places behind the last host go: where the list is made, and where it is read from the log.
inline void drop_free_end(std::vector<Host>& hosts) {
  while (!hosts.empty() && is_free(hosts.back())) hosts.pop_back();
}

}  // namespace leasehold
