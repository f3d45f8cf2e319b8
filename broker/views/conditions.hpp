// Conditions that keep a lease from its rule's outcome at this moment: what operators ordered, what
// the configuration says, which agents are silent, which hosts are away. The reason of the last
// evaluation is of its own time; these are of now. For the views only.
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns [{"condition","subject","sentence","then","at","command"}], the widest first. `then` is
/// what happens by itself at the instant `at`; `command` is the operator's command that would help.
/// Each is null where there is none.
Json conditions_of(const State& state, const Liveness& liveness, const LeaseRef& lease);

/// Says why no lease of that lost cluster ends by itself. Contract: its expires_at is kNever.
std::string why_leases_stay(const State& state, const Cluster& lost);

}  // namespace leasehold
