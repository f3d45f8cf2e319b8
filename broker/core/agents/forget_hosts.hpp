// forget_hosts: names of hosts that nobody needs any more go, so that a cluster whose hosts have
// new names each day (nodes of a cloud, or an agent that makes them up) costs what it has, not what
// it ever had.
#pragma once

#include <cstdint>

#include "broker/core/model/turn.hpp"

namespace leasehold {

/// Of the hosts that are not in the cluster's inventory those go that no slot group, no policy's
/// choice and no operator's order names; their places are free then (../model/free_hosts.hpp). A
/// group that is closed names its hosts until it is gone itself.
void forget_hosts(Turn& turn, uint32_t cluster);

}  // namespace leasehold
