// Heard: when a cluster's agent was last heard, whether that is late, and whether a refusal is
// still news. For the views only.
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/views/liveness.hpp"

namespace leasehold {

/// nullptr: nothing is known of it.
const ClusterLiveness* known_of(const Liveness& liveness, const std::string& cluster);

/// By a report or a heartbeat; kNever: not since the broker started.
Instant last_heard(const Liveness& liveness, const std::string& cluster);

/// No cluster of the configuration is heard: the fault is rather here than at all of them.
bool hears_nobody(const State& state);

/// True if `leasectl forget` may be advised for a silent cluster: somebody leads, so that it can be
/// carried out; other agents are heard here; and no other broker hears the cluster.
bool may_advise_forget(const State& state, const Liveness& liveness, const std::string& cluster);

/// What helps where a cluster's agent is not heard. `holds`: it has slots of others; to forget them
/// is advised only while others are heard here, and no other broker hears the cluster.
std::string mend_of_silence(const State& state, const Liveness& liveness, const Cluster& cluster,
                            bool holds);

/// Heard so long before `now` that it will soon count as lost (agent_timeout).
bool is_late(const State& state, Instant heard, Instant now);

/// The last refusal is shown until something good came after it, and for a while also then.
bool shows_refusal(const ClusterLiveness* known, Instant now);

}  // namespace leasehold
