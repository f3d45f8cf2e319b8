// usage: slot-seconds of a recorded history, computed from every state on the way
// (views/usage.hpp). Nothing is decided again: every version reads what any version decided.
#pragma once

#include <optional>

#include "broker/views/json.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

class Log;

/// Counts [since, until); absent: from the first event kept, to the last commit. Refused where
/// retention has removed the state at `since`.
Result<Json> usage_rows(Log& log, std::optional<Instant> since, std::optional<Instant> until);

}  // namespace leasehold
