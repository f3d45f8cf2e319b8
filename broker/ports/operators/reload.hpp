// What a reload would change, as operators are shown it before it is done. For port.cpp
// only.
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/ports/access.hpp"
#include "broker/views/json.hpp"
#include "broker/views/liveness.hpp"

namespace leasehold {

/// The answer to `reload` that changes nothing: who gains and loses slots, which settings are
/// others, what is odd, and a fingerprint of it. `in_force`: nullptr, nobody knows it.
Json preview_reload(const State& state, const Liveness& liveness, const ConfigRead& read,
                    const Access* in_force, Instant now);

/// The same answer once it is done.
Json reloaded(Json preview);

/// The same for the history, in a line: who gains and loses, which settings; the first of many.
std::string reload_in_words(const Json& preview);

}  // namespace leasehold
