// Contact: when a cluster's agent sent its last message, whether that is late, and whether a
// refusal is still shown.
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/views/clusters/liveness.hpp"

namespace leasehold {

/// Returns nullptr where nothing is known of the cluster.
const ClusterLiveness* known_of(const Liveness& liveness, const std::string& cluster);

/// Returns when the last report or heartbeat came; kNever: none since the broker started.
Instant last_contact(const Liveness& liveness, const std::string& cluster);

/// True if no configured cluster is connected: the fault is then probably here.
bool has_no_contact(const State& state);

/// True if `leasectl forget` may be advised for a silent cluster: somebody leads, so that it can be
/// carried out; other agents are connected here; and no other broker is connected to the cluster.
bool may_advise_forget(const State& state, const Liveness& liveness, const std::string& cluster);

/// Returns what to do about a cluster whose agent is silent. `holds`: it has slots of others.
/// Forgetting them is advised only while other agents are connected here, and the cluster to no
/// other broker.
std::string remedy_of_silence(const State& state, const Liveness& liveness, const Cluster& cluster,
                              bool holds);

/// True if the last message is so old that the agent will soon count as lost (agent_timeout).
bool is_late(const State& state, Instant contact_at, Instant now);

/// The last refusal is shown until a report is accepted after it, and for some time after that.
bool shows_refusal(const ClusterLiveness* known, Instant now);

}  // namespace leasehold
