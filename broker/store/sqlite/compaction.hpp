// Retention: keeps the history below an age and the file below a size.
//
// While history grows the store writes a base of the whole state now and then (every eighth of
// either limit); compaction removes what is before one of them, and history begins there. Both
// depend on the recorded input alone, so that two equal runs give equal files. Each removal is one
// transaction: a broker killed in the middle of it finds the history as it was before.
#pragma once

#include <cstdint>

#include "common/instant.hpp"

namespace SQLite {
class Database;
}

namespace leasehold {

/// 0: no limit. The file's size does not count its write-ahead log, nor can it go below what two
/// bases need.
struct Retention {
  int64_t age_ms = 0;
  int64_t size_bytes = 0;
  bool operator==(const Retention&) const = default;
};

/// Bytes of history after which the next base is due.
int64_t base_interval_bytes(const Retention& retention, int64_t last_base_bytes);
/// Whether one is due; `since` is the time of the last one, or of the first event.
bool base_due(const Retention& retention, int64_t bytes_since, int64_t last_base_bytes,
              Instant since, Instant now);

/// Removes what is too old or too much. Returns the number of rows removed.
/// Throws SQLite::Exception like every function below the store's wall.
int64_t compact(SQLite::Database& db, const Retention& retention, Instant now);

/// Bytes of the file in use (its free pages will be used again).
int64_t used_bytes(SQLite::Database& db);

}  // namespace leasehold
