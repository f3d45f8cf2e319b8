// Summary: what many rows come to: how many, sums of their slots, how many of each kind. Pure.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/lists/listing.hpp"

namespace leasehold {

/// {"rows":2,"sums":{"slots":8},"counts":{"phase":{"active":2}}}; the words of a count by their
/// number, the most first.
Json summary_of(const Json& rows, const Listing& list);

/// The same in a line: "2 rows; slots 8; phase: 2 active".
std::string summary_text(const Json& summary);

}  // namespace leasehold
