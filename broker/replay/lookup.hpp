// look_up: answers the questions of leasectl from a database, read-only, while a broker runs or
// not. What the control endpoint asks of the past, and `leasectl --db` of all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/views/json.hpp"
#include "broker/views/request.hpp"
#include "common/result.hpp"

namespace leasehold {

class Log;

/// Rows of one answer to `history`; who wants more asks again with "after" (the last id it got).
inline constexpr int64_t kHistoryRowsMax = 100'000;

/// Answers every question of the catalogue, of now as of the last commit. Errors:
/// `unknown` for a lease that neither history nor ledger knows, `refused` for an instant before
/// history begins, `usage` for a change. Opens and closes the database; no exception leaves it.
Result<Json> look_up(const std::string& database, const Request& request,
                     int64_t history_rows_max = kHistoryRowsMax);

/// The last event that had happened by `at`; 0: none.
Result<int64_t> event_at(const std::string& database, Instant at);

/// The newest decisions on that lease, as `lease` shows them: rows of history, newest last; with
/// `at` those up to then.
Result<Json> last_decisions(Log& log, const std::string& lease,
                            std::optional<Instant> at = std::nullopt);

}  // namespace leasehold
