// What keeps a lease from being as its rule would have it, just now: what operators ordered, what
// the configuration says, who is not heard, which hosts are away. Unlike the reason of the last
// evaluation, which is of then. For the views only.
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"
#include "broker/views/liveness.hpp"

namespace leasehold {

/// [{"condition","subject","sentence","then","at","command"}], the widest first. `then`: what
/// happens by itself, `at` that instant; `command`: which one of an operator would help. null:
/// none.
Json conditions_of(const State& state, const Liveness& liveness, const LeaseRef& lease);

}  // namespace leasehold
