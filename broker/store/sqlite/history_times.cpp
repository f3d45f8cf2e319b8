#include "broker/store/sqlite/history_times.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

namespace leasehold {

namespace {

/// Ids from `low` below `high`.
struct Stretch {
  int64_t low = 1;
  int64_t high = 1;
};

Stretch whole(SQLite::Database& db) {
  SQLite::Statement ends(db, "SELECT min(id), max(id) FROM event");
  if (!ends.executeStep() || ends.isColumnNull(0)) return {};
  return {ends.getColumn(0).getInt64(), ends.getColumn(1).getInt64() + 1};
}

Stretch stretch_of(SQLite::Database& db, Instant at) {
  Stretch stretch = whole(db);
  for (const TimeSetBack& set : times_set_back(db)) {
    if (set.to > at) {
      stretch.high = set.id;
      break;
    }
    stretch.low = set.id;
  }
  return stretch;
}

}  // namespace

std::vector<TimeSetBack> times_set_back(SQLite::Database& db) {
  std::vector<TimeSetBack> sets;
  SQLite::Statement query(db, "SELECT id, time_ms FROM event WHERE kind = 'clock-set' ORDER BY id");
  while (query.executeStep()) {
    // The input that the record was made of stands before it.
    sets.push_back({query.getColumn(0).getInt64() - 1, {query.getColumn(1).getInt64()}});
  }
  return sets;
}

/// Halving: no index on time is needed.
int64_t first_event_at(SQLite::Database& db, Instant at) {
  auto [low, high] = stretch_of(db, at);
  SQLite::Statement probe(db, "SELECT time_ms FROM event WHERE id = ?");
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    probe.bind(1, middle);
    const bool there = probe.executeStep();
    if (there && probe.getColumn(0).getInt64() < at.ms) {
      low = middle + 1;
    } else {
      high = middle;
    }
    probe.reset();
  }
  return low;
}

}  // namespace leasehold
