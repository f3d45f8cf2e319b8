// The tables `log` and `base` as values: reading and writing of rows. What is in them:
// broker/record. Inner header of the store and of its readers; throws SQLite's exceptions, which
// those turn into Errors.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>

#include "broker/record/log_body.hpp"
#include "broker/record/log_row.hpp"
#include "broker/store/sqlite/statements.hpp"

namespace leasehold {

enum class Order : uint8_t { oldest_first, newest_first };

/// Rows of the log one after the other.
class LogRows {
 public:
  /// From the row with event `from` on: of the oldest first that and the later ones, of the newest
  /// first that and the earlier ones.
  LogRows(SQLite::Database& db, int64_t from, Order order = Order::oldest_first);
  /// False: there is no further one. Error (corrupt): its hash is none.
  Result<bool> next(LogRow& row);
  /// Of the oldest first: from the row that begins with event `from` on, as the log is now. Until
  /// then what it has seen of the log stays as it was, and the write-ahead log grows.
  void begin_at(int64_t from);

 private:
  SQLite::Statement query_;
};

/// Where the log ends: what the next row continues from.
struct LogEnd {
  int64_t last_event = 0;
  int64_t batch = 0;
  Hash hash{};
  std::optional<Instant> time;  // of the last event; nullopt: nothing was ever kept
};
Result<LogEnd> read_end(SQLite::Database& db);

/// The newest base of the state after an event not later than `last_event`. One whose first part
/// is not written yet is none.
Result<std::optional<Base>> newest_base(SQLite::Database& db, int64_t last_event = INT64_MAX);
/// The oldest: with which history begins, unless the log still has event 1.
Result<std::optional<Base>> oldest_base(SQLite::Database& db);

class LogWriting {
 public:
  LogWriting(SQLite::Database& db, const Fault& fault);
  void row(const LogRow& row);
  /// The first part last.
  void base(int64_t last_event, Instant time, const std::vector<Chunk>& chunks);
  void part(int64_t last_event, int64_t part, Instant time, const Chunk& chunk);

 private:
  Writing row_;
  Writing part_;
};

}  // namespace leasehold
