// Horizons: reservations that owners' workload managers hold, as people are shown them until they
// end. For the views only.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns {"reservation","from","until","begun","closed_to"}; `closed_to` lists the clusters that
/// no longer start work there. null: no reservation is known.
Json horizon_json(const State& state, const Host& host);

/// True if the reservation of the host is in force.
bool has_begun(const State& state, const Host& host);

/// Returns "reserved at east (maint) from … to …", and that it has begun. Contract: a reservation
/// is known.
std::string horizon_words(const State& state, const Cluster& owner, const Host& host);

/// Returns why the borrower starts nothing there: "its work of up to 4h might not have ended".
std::string outlasting_words(const Cluster& borrower);

}  // namespace leasehold
