// Functions that find a log's end (its last row) and the bases that it begins with.
#pragma once

#include <optional>

#include "broker/record/log_row.hpp"
#include "broker/store/log/log.hpp"

namespace leasehold {

/// The log's end, from which the next row continues.
struct LogEnd {
  int64_t last_event = 0;
  int64_t batch = 0;
  Hash hash{};
  std::optional<Instant> time;  // of the last event; nullopt: nothing was ever kept
};
Result<LogEnd> read_end(Log& log);
/// True if the log holds the row that ends with this event and has this hash. False also where
/// retention has removed the row.
Result<bool> has_commit(Log& log, int64_t last_event, const Hash& hash);

/// Returns the newest base of the state after `last_event` or an earlier event.
Result<std::optional<Base>> newest_base(Log& log, int64_t last_event = INT64_MAX);
/// Returns the oldest base, with which history begins, unless the log still has event 1.
Result<std::optional<Base>> oldest_base(Log& log);

}  // namespace leasehold
