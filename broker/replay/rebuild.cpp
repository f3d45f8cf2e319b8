#include "broker/replay/rebuild.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "broker/core/model/deadlines.hpp"
#include "broker/core/step.hpp"
#include "broker/store/sqlite/follow_log.hpp"
#include "broker/store/sqlite/history_times.hpp"
#include "broker/store/sqlite/store.hpp"

namespace leasehold {

namespace {

/// The last event that had happened by then; kNever: the last of all.
Result<int64_t> last_event_by(SQLite::Database& db, Instant at) {
  if (at == kNever) return INT64_MAX;
  const Result<int64_t> after = first_event_at(db, at + 1);
  if (!after) return after;
  return *after - 1;
}

}  // namespace

Result<LogAt> log_at(SQLite::Database& db, Instant at) {
  const Result<int64_t> last = last_event_by(db, at);
  if (!last) return tl::unexpected(last.error());
  Result<FollowedLog> log = FollowedLog::begin(db, *last);
  if (!log) return tl::unexpected(log.error());
  // What lies before all that is kept is looked for at its beginning.
  if (log->last_event() == *last && at < log->state().now) {
    return fail(ErrorCode::refused, "history goes back to " + format_utc(log->state().now) +
                                        " only ([retention] removed what was before); name a "
                                        "later time");
  }
  return LogAt{std::make_unique<FollowedLog>(std::move(*log)), *last};
}

namespace {

StateFrom taken_from(FollowedLog& log) {
  clear_marks(log.state());
  return {std::move(log.state()), log.last_event()};
}

Result<StateFrom> rebuild(SQLite::Database& db, Instant at) {
  const SQLite::Transaction one_view(db);
  const Result<LogAt> from = log_at(db, at);
  if (!from) return tl::unexpected(from.error());
  if (Status done = from->log->apply_until(from->last_event); !done) {
    return tl::unexpected(done.error());
  }
  return taken_from(*from->log);
}

Result<StateFrom> oldest(SQLite::Database& db) {
  const SQLite::Transaction one_view(db);
  Result<FollowedLog> log = FollowedLog::begin_oldest(db);
  if (!log) return tl::unexpected(log.error());
  return taken_from(*log);
}

}  // namespace

Result<int64_t> last_event_by(SqliteStore& store, Instant at) {
  try {
    return last_event_by(store.database(), at);
  } catch (const SQLite::Exception& error) {
    return database_error(store.path(), error);
  }
}

Result<State> state_at(SqliteStore& store, Instant at) {
  Result<StateFrom> found = state_from(store, at);
  if (!found) return tl::unexpected(found.error());
  return std::move(found->state);
}

Result<StateFrom> state_from(SqliteStore& store, std::optional<Instant> since) {
  try {
    return since ? rebuild(store.database(), *since) : oldest(store.database());
  } catch (const SQLite::Exception& error) {
    return database_error(store.path(), error);
  }
}

Status make_silent_ticks(State& state, Instant until, Effects& effects) {
  for (Instant due = next_deadline(state); due < until; due = next_deadline(state)) {
    const Instant now = std::max(due, state.now);
    effects.clear();
    if (step(state, Tick{}, now, effects)) {
      return fail(ErrorCode::corrupt, "the deadline at " + format_utc(due) +
                                          " changes something, but history has no input for it");
    }
    if (next_deadline(state) <= due) {
      return fail(ErrorCode::corrupt, "the deadline at " + format_utc(due) + " does not pass");
    }
  }
  return {};
}

Status make_ticks_before(State& state, const RecordedInput& input, Effects& effects) {
  // Before a start no process was there to make one.
  if (std::holds_alternative<BrokerStarted>(input.event)) return {};
  if (std::holds_alternative<ClockSet>(input.event)) return {};
  // A recorded Tick stands for all that were due since the last silent one.
  const Tick* tick = std::get_if<Tick>(&input.event);
  if (tick != nullptr && tick->silent == Instant{}) return {};
  const Instant until = tick == nullptr ? input.now : tick->silent + 1;
  return make_silent_ticks(state, until, effects);
}

}  // namespace leasehold
