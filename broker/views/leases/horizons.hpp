// Horizons: reservations that owners' workload managers hold, as people are shown them until they
// end. For the views only.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns {"reservation","from","until","begun","closed_to","work_ends_from"}; `closed_to` lists
/// the clusters that no longer start work there. null: no reservation is known.
Json horizon_json(const State& state, const Cluster& owner, const Host& host);

/// Returns when slots of the host that others hold are first reclaimed for the reservation; kNever:
/// none are.
Instant work_ends_from(const State& state, const Cluster& owner, const Host& host);

/// True if the reservation of the host is in force.
bool has_begun(const State& state, const Host& host);

/// Returns "reserved at east (maint) from … to …", and that it has begun. Contract: a reservation
/// is known.
std::string horizon_words(const State& state, const Cluster& owner, const Host& host);

/// Returns why the member starts nothing on the row's host, and when its work there is to end:
/// "west starts nothing there, because its work of up to 4h might not have ended; …".
std::string before_reservation(const State& state, const SlotGroup& group, size_t member,
                               uint32_t row);

/// Returns what the end of the policy's window means for the member: "the export ends at …: west
/// starts nothing before, …". "": no end is known.
std::string window_end_words(const State& state, const SlotGroup& group, size_t member);

}  // namespace leasehold
