// look_up: answers the questions of leasectl from a database, read-only, whether a broker runs or
// not. It serves the control endpoint for the past, and `leasectl --db` for everything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/views/json.hpp"
#include "broker/views/request/request.hpp"
#include "common/result.hpp"

namespace leasehold {

class Log;

/// The most rows of one answer to `history`; a client that wants more asks again with "after" (the
/// last id it got).
inline constexpr int64_t kHistoryRowsMax = 100'000;

/// Answers every question of the catalogue except `brokers`; "now" is the last commit. Errors:
/// `unknown` for a lease that neither history nor ledger knows, `refused` for an instant before
/// history begins, `usage` for a change and for `brokers`. Opens and closes the database; throws
/// nothing.
Result<Json> look_up(const std::string& database, const Request& request,
                     int64_t history_rows_max = kHistoryRowsMax);

/// Returns the last event that had happened by `at`; 0: none.
Result<int64_t> event_at(const std::string& database, Instant at);

/// Returns the newest decisions on that lease, as `lease` shows them: rows of history, the newest
/// last; with `at`, those up to then.
Result<Json> last_decisions(Log& log, const std::string& lease,
                            std::optional<Instant> at = std::nullopt);

}  // namespace leasehold
