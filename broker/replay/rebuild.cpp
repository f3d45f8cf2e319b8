#include "broker/replay/rebuild.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "broker/core/model/deadlines.hpp"
#include "broker/core/step.hpp"
#include "broker/record/event_codec.hpp"
#include "broker/record/history_row.hpp"
#include "broker/record/history_snapshot.hpp"
#include "broker/store/sqlite/history_times.hpp"
#include "broker/store/sqlite/statements.hpp"
#include "broker/store/sqlite/store.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

std::string_view blob(SQLite::Statement& query, int index) {
  const SQLite::Column column = query.getColumn(index);
  const auto* bytes = static_cast<const char*>(column.getBlob());
  return {bytes ? bytes : "", static_cast<size_t>(column.getBytes())};
}

tl::unexpected<Error> other_core(const std::string& found) {
  return fail(ErrorCode::version, "this history was made by core version " + found +
                                      ", this program is version " + std::to_string(kCoreVersion) +
                                      ": it cannot judge it; use the program that made it");
}

Result<StartPoint> read_snapshot(SQLite::Statement& query) {
  const int core = query.getColumn(1).getInt();
  if (core != kCoreVersion) return other_core(std::to_string(core));
  Result<State> state = decode_state(blob(query, 2));
  if (!state) return tl::unexpected(state.error());
  return StartPoint{std::move(*state), query.getColumn(0).getInt64()};
}

int64_t base_of(SQLite::Database& db) {
  return db.execAndGet("SELECT event_id FROM history_base").getInt64();
}

/// The last event that had happened by then; kNever: the last of all.
int64_t last_event_by(SQLite::Database& db, Instant at) {
  return at == kNever ? INT64_MAX : first_event_at(db, at + 1) - 1;
}

Result<StartPoint> find_start(SQLite::Database& db, int64_t last) {
  SQLite::Statement query(db,
                          "SELECT event_id, core_version, state FROM snapshot WHERE event_id <= ? "
                          "ORDER BY event_id DESC LIMIT 1");
  query.bind(1, last);
  if (query.executeStep()) return read_snapshot(query);
  if (base_of(db) == 0) return StartPoint{};
  const int64_t first = db.execAndGet("SELECT min(time_ms) FROM snapshot").getInt64();
  return fail(ErrorCode::refused, "history goes back to " + format_utc({first}) +
                                      " only ([retention] removed what was before); name a later "
                                      "time");
}

Status apply_until(SqliteStore& store, StartPoint& point, int64_t last) {
  InputReader inputs(store, point.event_id);
  Effects effects;
  while (true) {
    const auto input = inputs.next();
    if (!input) return tl::unexpected(input.error());
    if (!*input || (*input)->id > last) return {};
    if (Status done = make_ticks_before(point.state, **input, effects); !done) return done;
    effects.clear();
    step(point.state, (*input)->event, (*input)->now, effects);
    effects.clear();
  }
}

}  // namespace

struct InputReader::Query {
  std::string path;
  SQLite::Statement statement;
};

InputReader::InputReader(SqliteStore& store, int64_t after_id) {
  query_ = std::make_unique<Query>(Query{
      store.path(),
      SQLite::Statement(store.database(),
                        "SELECT id, time_ms, payload, numbers FROM event WHERE id > ? AND kind "
                        "LIKE 'input-%' ORDER BY id")});
  query_->statement.bind(1, after_id);
}

InputReader::~InputReader() = default;

Result<std::optional<RecordedInput>> InputReader::next() {
  try {
    SQLite::Statement& row = query_->statement;
    if (!row.executeStep()) return std::nullopt;
    RecordedInput input;
    input.id = row.getColumn(0).getInt64();
    input.now.ms = row.getColumn(1).getInt64();
    Result<Event> event = decode_event(blob(row, 2));
    if (!event) return tl::unexpected(event.error());
    input.event = std::move(*event);
    const std::string numbers = row.getColumn(3).getString();
    if (Status same = check_core(input.event, numbers); !same) return tl::unexpected(same.error());
    return input;
  } catch (const SQLite::Exception& error) {
    return database_error(query_->path, error);
  }
}

Status check_core(const Event& event, const std::string& numbers) {
  if (!std::holds_alternative<BrokerStarted>(event)) return {};
  EventRow expected;
  input_row(expected, event, Instant{});
  if (numbers == expected.numbers) return {};
  return other_core(numbers);
}

Result<StartPoint> start_point(SqliteStore& store, Instant at) {
  try {
    return find_start(store.database(), last_event_by(store.database(), at));
  } catch (const SQLite::Exception& error) {
    return database_error(store.path(), error);
  }
}

Result<StartPoint> first_point(SqliteStore& store) {
  try {
    SQLite::Database& db = store.database();
    SQLite::Statement query(db,
                            "SELECT event_id, core_version, state FROM snapshot WHERE event_id = "
                            "(SELECT event_id FROM history_base)");
    if (query.executeStep()) return read_snapshot(query);
    if (base_of(db) == 0) return StartPoint{};
    return fail(ErrorCode::corrupt,
                "the snapshot that history starts with is missing; restore a "
                "backup of the database");
  } catch (const SQLite::Exception& error) {
    return database_error(store.path(), error);
  }
}

Result<State> state_at(SqliteStore& store, Instant at) {
  try {
    const SQLite::Transaction one_view(store.database());
    const int64_t last = last_event_by(store.database(), at);
    Result<StartPoint> point = find_start(store.database(), last);
    if (!point) return tl::unexpected(point.error());
    if (Status done = apply_until(store, *point, last); !done) return tl::unexpected(done.error());
    return std::move(point->state);
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
