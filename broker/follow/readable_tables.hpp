// ReadableTables: the tables that people query (schema/sql/readable/tables.sql), written from a
// State and from events. The file itself is in state_file.hpp, the source of the rows in
// log_to_tables.hpp. The functions throw SQLite::Exception; callers turn it into an Error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "broker/follow/current_tables.hpp"
#include "broker/record/hash.hpp"
#include "broker/record/history_row.hpp"

namespace leasehold {

/// The row of the log that the tables have reached.
struct Follows {
  int64_t last_event = 0;  // 0: before the first
  int64_t batch = 0;
  Hash hash{};
  bool operator==(const Follows&) const = default;
};

/// Makes the tables in an empty file.
void make_readable_tables(SQLite::Database& db);

/// Returns the row of the log that the tables have reached. nullopt: they are not of this schema,
/// were written in another file than `inode`, or were never written.
std::optional<Follows> tables_follow(SQLite::Database& db, uint64_t inode);

class ReadableTables {
 public:
  ReadableTables(SQLite::Database& db, uint64_t inode);
  /// Writes in one transaction: the events, what `state` marks as changed, and `follows`. Events
  /// before `first_event` are removed.
  void write(std::span<const HistoryRow> events, int64_t first_event, const State& state,
             const Follows& follows);

 private:
  void write_event(const HistoryRow& row);
  void write_head(const State& state, const Follows& follows);

  SQLite::Database& db_;
  const uint64_t inode_;
  const Fault none_;
  CurrentTables current_;
  Writing event_, event_gone_, broker_, follows_;
};

}  // namespace leasehold
