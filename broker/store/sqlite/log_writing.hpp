// LogWriting: writes rows of the log and parts of bases into an SQLite file, within whatever
// transaction its caller has begun. Throws SQLite's exceptions. For broker/store, and for code that
// makes a log of rows that come from elsewhere (broker/replay).
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <vector>

#include "broker/record/log_row.hpp"
#include "broker/store/sqlite/statements.hpp"

namespace leasehold {

class LogWriting {
 public:
  LogWriting(SQLite::Database& db, const Fault& fault);
  void row(const LogRow& row);
  /// Writes a whole base, its first part last.
  void base(int64_t last_event, Instant time, const std::vector<Chunk>& chunks);
  void part(int64_t last_event, int64_t part, Instant time, const Chunk& chunk);

 private:
  Writing row_;
  Writing part_;
};

}  // namespace leasehold
