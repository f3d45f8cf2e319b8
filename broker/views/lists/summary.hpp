// Summary: the number of rows, the sums of their slots, and the number of rows of each kind. Pure.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/lists/listing.hpp"

namespace leasehold {

/// Returns {"rows":2,"sums":{"slots":8},"counts":{"phase":{"active":2}}}; the words of a count are
/// ordered by their number, the largest first.
Json summary_of(const Json& rows, const Listing& list);

/// Returns the same as a line: "2 rows; slots 8; phase: 2 active".
std::string summary_text(const Json& summary);

}  // namespace leasehold
