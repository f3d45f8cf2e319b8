#include "broker/store/sqlite/history_times.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "broker/store/sqlite/log_table.hpp"

namespace leasehold {

namespace {

/// Events from `low` below `high`.
struct Stretch {
  int64_t low = 1;
  int64_t high = 1;
};

Result<Stretch> whole(SQLite::Database& db) {
  SQLite::Statement first(db, "SELECT min(first_event) FROM log");
  if (!first.executeStep() || first.isColumnNull(0)) return Stretch{};
  const Result<LogEnd> end = read_end(db);
  if (!end) return tl::unexpected(end.error());
  return Stretch{first.getColumn(0).getInt64(), end->last_event + 1};
}

Result<Stretch> stretch_of(SQLite::Database& db, Instant at) {
  Result<Stretch> stretch = whole(db);
  if (!stretch) return stretch;
  for (const TimeSetBack& set : times_set_back(db)) {
    if (set.to > at) {
      stretch->high = set.id;
      break;
    }
    stretch->low = set.id;
  }
  return stretch;
}

/// The last row within the stretch that begins before `at`; 0: none. By halving: no index on time
/// is needed.
int64_t last_row_before(SQLite::Database& db, Stretch stretch, Instant at) {
  SQLite::Statement probe(db,
                          "SELECT first_event, time_ms FROM log WHERE first_event <= ? ORDER BY "
                          "first_event DESC LIMIT 1");
  int64_t found = 0;
  while (stretch.low < stretch.high) {
    const int64_t middle = stretch.low + (stretch.high - stretch.low) / 2;
    probe.bind(1, middle);
    const bool there = probe.executeStep();
    const int64_t row = there ? probe.getColumn(0).getInt64() : 0;
    if (there && probe.getColumn(1).getInt64() < at.ms) {
      found = row;
      stretch.low = middle + 1;
    } else {
      stretch.high = there ? std::min(middle, row) : middle;
    }
    probe.reset();
  }
  return found;
}

}  // namespace

std::vector<TimeSetBack> times_set_back(SQLite::Database& db) {
  std::vector<TimeSetBack> sets;
  SQLite::Statement query(
      db, "SELECT first_event, time_ms FROM log WHERE clock_set = 1 ORDER BY first_event");
  while (query.executeStep()) {
    sets.push_back({query.getColumn(0).getInt64(), {query.getColumn(1).getInt64()}});
  }
  return sets;
}

Result<int64_t> first_event_at(SQLite::Database& db, Instant at) {
  const Result<Stretch> stretch = stretch_of(db, at);
  if (!stretch) return tl::unexpected(stretch.error());
  const int64_t before = last_row_before(db, *stretch, at);
  if (before == 0) return stretch->low;
  LogRow row;
  const Result<bool> there = LogRows(db, before).next(row);
  if (!there) return tl::unexpected(there.error());
  const Result<LogBody> body = LogBody::read(row);
  if (!body) return tl::unexpected(body.error());
  for (int64_t i = 0; i < body->events(); ++i) {
    const Result<Instant> time = body->time_of(i);
    if (!time) return tl::unexpected(time.error());
    if (*time >= at) return row.first_event + i;
  }
  return row.first_event + body->events();
}

}  // namespace leasehold
