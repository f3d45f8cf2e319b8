// Makes the preview of a reload: what it would change, as operators see it before it is done, and
// as SIGHUP and a take-over write it into the history.
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/ports/access.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns the answer to a `reload` that changes nothing: which leases gain and lose slots, which
/// settings change, warnings, and a fingerprint of the changes. `in_force` may be nullptr: then
/// operators, limits and keys are not compared.
Json preview_reload(const State& state, const Liveness& liveness, const ConfigRead& read,
                    const Access* in_force, Instant now);

/// Returns the preview as the answer to the reload that was carried out.
Json reloaded(Json preview);

/// Returns the preview as one line for the history: changes of slots, then settings; of many only
/// the first are named.
std::string reload_in_words(const Json& preview);

}  // namespace leasehold
