// The slots that a cluster has idle outside of all leases: from what its agent reports of its own
// hosts, less what it exports of them. For the rule demand-aware, which moves only what waiting
// work lacks.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/clusters/liveness.hpp"

namespace leasehold {

/// At most so many hosts are stated: those with the most idle slots.
inline constexpr size_t kIdleHostsMost = 256;

/// True if a lease of the cluster goes by demand: else idle slots are of no use and not recorded.
/// Looks at all leases.
bool any_by_demand(const State& state, uint32_t cluster);

/// Returns the idle slots of each host that is up and whose use is known, the most first. `stated`,
/// here and below, is what the agent says of its groups and the state does not know yet.
std::vector<int32_t> idle_elsewhere(const State& state, uint32_t cluster,
                                    const ClusterLiveness& live, const wire::StateBlock& stated);
/// Returns the idle slots of the hosts of which policies export a part: a job of the cluster may
/// use them together with exported ones. Those with the lowest positions come, at most
/// kIdleHostsMost.
IdleBeside idle_beside(const State& state, uint32_t cluster, const ClusterLiveness& live,
                       const wire::StateBlock& stated);

}  // namespace leasehold
