#include "broker/replay/usage.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/replay/rebuild.hpp"
#include "broker/store/sqlite/follow_log.hpp"
#include "broker/store/sqlite/history_times.hpp"
#include "broker/store/sqlite/store.hpp"
#include "broker/views/usage.hpp"

namespace leasehold {

namespace {

/// What a wrong clock made of an instant that lies beyond the one that time was set back to later
/// counts for nothing.
Instant counted_at(const std::vector<TimeSetBack>& sets, int64_t id, Instant at) {
  for (const TimeSetBack& set : sets) {
    if (set.id > id) at = std::min(at, set.to);
  }
  return at;
}

Result<Json> count(SQLite::Database& db, FollowedLog log, Instant since,
                   std::optional<Instant> until) {
  UsageMeter meter(since);
  meter.changed(log.state(), log.state().now, true);
  const std::vector<TimeSetBack> sets = times_set_back(db);
  const Result<int64_t> end = until ? first_event_at(db, *until) : INT64_MAX;
  if (!end) return tl::unexpected(end.error());
  while (true) {
    const Result<bool> there = log.read();
    if (!there) return tl::unexpected(there.error());
    if (!*there || log.row_end() >= *end) break;
    if (Status done = log.apply(); !done) return tl::unexpected(done.error());
    const Instant at = counted_at(sets, log.row_end(), log.state().now);
    meter.changed(log.state(), at, log.row().clock_set);
  }
  return meter.rows(until.value_or(log.state().now));
}

Result<Json> count_between(SQLite::Database& db, std::optional<Instant> since,
                           std::optional<Instant> until) {
  const SQLite::Transaction one_view(db);
  if (!since) {
    Result<FollowedLog> log = FollowedLog::begin_oldest(db);
    if (!log) return tl::unexpected(log.error());
    const Instant from = log->state().now;
    return count(db, std::move(*log), from, until);
  }
  Result<LogAt> from = log_at(db, *since);
  if (!from) return tl::unexpected(from.error());
  return count(db, std::move(*from->log), *since, until);
}

}  // namespace

Result<Json> usage_rows(SqliteStore& store, std::optional<Instant> since,
                        std::optional<Instant> until) {
  if (since && until && *until < *since) {
    return fail(ErrorCode::usage, "--until is before --since");
  }
  try {
    return count_between(store.database(), since, until);
  } catch (const SQLite::Exception& error) {
    return database_error(store.path(), error);
  }
}

}  // namespace leasehold
