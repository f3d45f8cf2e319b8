// Horizons: reservations that owners' workload managers hold for later, as people are shown them.
// For the .cpp files of the views.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns {"reservation","from","until","closed_to"}; `closed_to` lists the clusters that no
/// longer start work there. null: no reservation is ahead.
Json horizon_json(const State& state, const Host& host);

/// Returns "reserved at east (maint) from … to …". Contract: a reservation is ahead.
std::string horizon_words(const Cluster& owner, const Host& host);

/// Returns why the borrower starts nothing there: "its work of up to 4h might not have ended".
std::string outlasting_words(const Cluster& borrower);

}  // namespace leasehold
