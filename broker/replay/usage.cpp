#include "broker/replay/usage.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/core/step.hpp"
#include "broker/replay/rebuild.hpp"
#include "broker/store/sqlite/history_times.hpp"
#include "broker/store/sqlite/statements.hpp"
#include "broker/store/sqlite/store.hpp"
#include "broker/views/usage.hpp"

namespace leasehold {

namespace {

/// A start makes the state anew, so that positions in it may mean others than before.
bool begins_anew(const Event& event) {
  return std::holds_alternative<BrokerStarted>(event) || std::holds_alternative<ClockSet>(event);
}

/// What a wrong clock made of an instant that lies beyond the one that time was set back to later
/// counts for nothing.
Instant counted_at(const std::vector<TimeSetBack>& sets, const RecordedInput& input) {
  Instant at = input.now;
  for (const TimeSetBack& set : sets) {
    if (set.id > input.id) at = std::min(at, set.to);
  }
  return at;
}

/// How far the broker had come at its last commit: past the last event, where nothing happened.
Instant committed_at(SqliteStore& store) {
  SQLite::Statement query(store.database(), "SELECT now_ms FROM broker");
  return query.executeStep() ? Instant{query.getColumn(0).getInt64()} : Instant{INT64_MIN};
}

Result<Json> count(SqliteStore& store, StartPoint point, Instant since,
                   std::optional<Instant> until) {
  UsageMeter meter(since);
  State& state = point.state;
  meter.changed(state, state.now, true);
  const std::vector<TimeSetBack> sets = times_set_back(store.database());
  const int64_t end = until ? first_event_at(store.database(), *until) : INT64_MAX;
  InputReader inputs(store, point.event_id);
  Effects effects;
  while (true) {
    const auto input = inputs.next();
    if (!input) return tl::unexpected(input.error());
    if (!*input || (*input)->id >= end) break;
    if (Status done = make_ticks_before(state, **input, effects); !done) {
      return tl::unexpected(done.error());
    }
    effects.clear();
    step(state, (*input)->event, (*input)->now, effects);
    meter.changed(state, counted_at(sets, **input), begins_anew((*input)->event));
  }
  return meter.rows(until.value_or(std::max(state.now, committed_at(store))));
}

}  // namespace

Result<Json> usage_rows(SqliteStore& store, std::optional<Instant> since,
                        std::optional<Instant> until) {
  if (since && until && *until < *since) {
    return fail(ErrorCode::usage, "--until is before --since");
  }
  try {
    const SQLite::Transaction one_view(store.database());
    Result<StartPoint> point = since ? start_point(store, *since) : first_point(store);
    if (!point) return tl::unexpected(point.error());
    const Instant from = since.value_or(point->state.now);
    return count(store, std::move(*point), from, until);
  } catch (const SQLite::Exception& error) {
    return database_error(store.path(), error);
  }
}

}  // namespace leasehold
