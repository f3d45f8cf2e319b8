// usage: slot-seconds of a recorded history, by deciding it again and looking at every state on the
// way (views/usage.hpp). Exact, and at any instants; like every replay it needs the program that
// made the history, or one of the same core version.
#pragma once

#include <optional>

#include "broker/views/json.hpp"
#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold {

class SqliteStore;

/// [since, until); absent: from the first event kept, to the last commit. Refused where retention
/// has removed what was at `since`.
Result<Json> usage_rows(SqliteStore& store, std::optional<Instant> since,
                        std::optional<Instant> until);

}  // namespace leasehold
