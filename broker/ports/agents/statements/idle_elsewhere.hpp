// The slots that a cluster has idle outside of all leases: from what its agent reports of its own
// hosts, less what it exports of them. For the rule demand-aware, which moves only what waiting
// work lacks.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/liveness.hpp"

namespace leasehold {

/// At most so many hosts are stated: those with the most idle slots.
inline constexpr size_t kIdleHostsMost = 256;

/// A lease of the cluster goes by it: else nobody asks, and nothing is recorded. Looks at them all.
bool any_by_demand(const State& state, uint32_t cluster);

/// Idle slots host by host, the most first; of hosts that are up and whose use is known.
std::vector<int32_t> idle_elsewhere(const State& state, uint32_t cluster,
                                    const ClusterLiveness& live);
/// The same of hosts of which policies export a part, host by host: what a job of the cluster needs
/// on one host may be partly its own. Those with the lowest positions, at most as many.
IdleBeside idle_beside(const State& state, uint32_t cluster, const ClusterLiveness& live);

}  // namespace leasehold
