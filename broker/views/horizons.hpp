// Horizons: reservations that owners' workload managers hold for later, as people are told of them.
// For the .cpp files of the views.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// {"reservation","from","until","closed_to"}, `closed_to` the clusters that start nothing there
/// any more; null: none is ahead.
Json horizon_json(const State& state, const Host& host);

/// "reserved at east (maint) from … to …". Contract: a reservation is ahead.
std::string horizon_words(const Cluster& owner, const Host& host);

/// "its work of up to 4h might not have ended": why the borrower starts nothing there.
std::string outlasting_words(const Cluster& borrower);

}  // namespace leasehold
