// usage: slot-seconds of a recorded history, computed from every state on the way
// (views/clusters/usage.hpp), or by whose work it was, from what agents reported (used_by.hpp
// there). Nothing is decided again: every version reads what any version decided.
#pragma once

#include <optional>
#include <string>

#include "broker/views/json.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

class Log;

/// Counts [since, until); absent: from the first event kept, to the last commit. Refused where
/// retention has removed the state at `since`.
Result<Json> usage_rows(Log& log, std::optional<Instant> since, std::optional<Instant> until);

/// Counts [since, until) of what agents reported, by whose work it was: `whose` as
/// Request::whose.
Result<Json> used_by_rows(Log& log, const std::string& whose, std::optional<Instant> since,
                          std::optional<Instant> until);

}  // namespace leasehold
