// forget_hosts: names of hosts that nobody needs any more go, so that a cluster whose hosts have
// new names each day (nodes of a cloud, or an agent that makes them up) costs what it has, not what
// it ever had.
#pragma once

#include <cstdint>

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Forgets hosts that are not in the cluster's inventory and that no slot group, no policy's choice
/// and no operator's order names; their places are then vacant (model/queries/vacant_hosts.hpp). A
/// closed group names its hosts until it is gone itself.
void forget_hosts(Turn& turn, uint32_t cluster);

}  // namespace leasehold
