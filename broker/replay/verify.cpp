#include "broker/replay/verify.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <vector>

#include "broker/core/plan/take_snapshot.hpp"
#include "broker/core/step.hpp"
#include "broker/record/event_codec.hpp"
#include "broker/record/history_row.hpp"
#include "broker/record/history_snapshot.hpp"
#include "broker/replay/rebuild.hpp"
#include "broker/replay/verify_state.hpp"
#include "broker/store/sqlite/statements.hpp"
#include "broker/store/sqlite/store.hpp"
#include "broker/store/sqlite/tables.hpp"

namespace leasehold {

namespace {

/// The one row before which time may go back.
constexpr const char* kClockSetInput = "input-clock-set";

std::string text_of(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "nothing";
}

std::string text_of(const std::string& value) {
  return value.empty() ? "nothing" : value;
}

std::string summary(const EventRow& row) {
  std::string text = row.kind;
  for (const std::string* part : {&row.lease, &row.cluster, &row.reason}) {
    if (!part->empty()) text += " " + *part;
  }
  if (row.slots) text += " slots " + std::to_string(*row.slots);
  return text;
}

bool is_input(const EventRow& row) {
  return row.kind.rfind("input-", 0) == 0;
}

/// Feeds the rows of a history, in order, to the core. Stops at the first difference.
class Verifier {
 public:
  explicit Verifier(SqliteStore& store) : store_(store) {}
  Result<VerifyReport> run();

 private:
  Status start();
  Status take(const EventRow& row);
  Status take_input(const EventRow& row);
  Status take_snapshot(const EventRow& row);
  void take_record(const EventRow& row);
  void check_chain(const EventRow& row, bool sound);
  void compare(const EventRow& recorded, const EventRow& computed);
  void check_end();
  bool found() const { return report_.difference.has_value(); }
  void differ(const std::string& what, std::string recorded, std::string computed);

  SqliteStore& store_;
  VerifyReport report_;
  State state_;
  Hash previous_{};
  int64_t expected_id_ = 1;
  int64_t at_ = 0;  // id of the row looked at
  int64_t batch_ = 0;
  int64_t time_ms_ = INT64_MIN;
  bool from_snapshot_ = false;
  Effects effects_;
  std::vector<EventRow> due_;  // records that the core made and the history must have next
  size_t due_first_ = 0;
};

void Verifier::differ(const std::string& what, std::string recorded, std::string computed) {
  if (!found()) report_.difference = {at_, what, std::move(recorded), std::move(computed)};
}

Status Verifier::start() {
  Result<StartPoint> point = first_point(store_);
  if (!point) return tl::unexpected(point.error());
  if (point->event_id == 0) return {};
  from_snapshot_ = true;
  state_ = std::move(point->state);
  expected_id_ = point->event_id;
  SQLite::Statement query(store_.database(),
                          "SELECT previous_hash FROM snapshot WHERE event_id = ?");
  query.bind(1, point->event_id);
  if (!query.executeStep() || !read_hash(query, 0, previous_)) {
    at_ = expected_id_;
    differ("hash before the first event", "not a hash", "32 bytes");
  }
  return {};
}

void Verifier::check_chain(const EventRow& row, bool sound) {
  if (row.id != expected_id_) {
    differ("id", std::to_string(row.id), std::to_string(expected_id_));
  }
  if (!sound) differ("form of the row", "a text or hash that is never written", "none such");
  const Hash computed = chain_hash(previous_, row);
  if (computed != row.hash) differ("hash", hex(row.hash), hex(computed));
  if (row.batch < batch_) {
    differ("batch", std::to_string(row.batch), std::to_string(batch_) + " or more");
  }
  if (row.time_ms < time_ms_ && row.kind != kClockSetInput) {
    differ("time", format_utc({row.time_ms}), "not before " + format_utc({time_ms_}));
  }
  if (row.batch != batch_) ++report_.batches;
  previous_ = row.hash;
  ++expected_id_;
  batch_ = row.batch;
  time_ms_ = row.time_ms;
}

void Verifier::compare(const EventRow& recorded, const EventRow& computed) {
  const auto same = [this](const char* what, const auto& a, const auto& b) {
    if (a != b) differ(what, text_of(a), text_of(b));
  };
  same("kind", recorded.kind, computed.kind);
  if (recorded.time_ms != computed.time_ms) {
    differ("time", format_utc({recorded.time_ms}), format_utc({computed.time_ms}));
  }
  same("lease", recorded.lease, computed.lease);
  same("generation", recorded.generation, computed.generation);
  same("epoch", recorded.epoch, computed.epoch);
  same("cluster", recorded.cluster, computed.cluster);
  same("reason", recorded.reason, computed.reason);
  same("slots", recorded.slots, computed.slots);
  same("from", recorded.from_cluster, computed.from_cluster);
  same("to", recorded.to_cluster, computed.to_cluster);
  same("numbers", recorded.numbers, computed.numbers);
  same("by", recorded.by_whom, computed.by_whom);
  if (recorded.payload != computed.payload) differ("payload", "other bytes", "other bytes");
}

Status Verifier::take_input(const EventRow& row) {
  ++report_.inputs;
  Result<Event> event = decode_event(row.payload);
  if (!event) {
    differ("payload", event.error().message, "an event");
    return {};
  }
  if (Status same = check_core(*event, row.numbers); !same) return same;
  const RecordedInput input{row.id, {row.time_ms}, std::move(*event)};
  EventRow again;
  input_row(again, input.event, input.now);
  compare(row, again);
  if (const Status done = make_ticks_before(state_, input, effects_); !done) {
    differ("input missing before it", "nothing", done.error().message);
  }
  if (found()) return {};
  effects_.clear();
  if (!step(state_, input.event, input.now, effects_)) {
    differ("effect", "an input that changed something", "it changes nothing");
  }
  due_.resize(effects_.records.size());
  due_first_ = 0;
  for (size_t i = 0; i < due_.size(); ++i) {
    record_row(due_[i], effects_.records[i], input.now, state_, by_whom(input.event));
  }
  return {};
}

Status Verifier::take_snapshot(const EventRow& row) {
  SQLite::Statement query(store_.database(), "SELECT state FROM snapshot WHERE event_id = ?");
  query.bind(1, row.id);
  if (!query.executeStep()) {
    differ("snapshot", "none", "one");
    return {};
  }
  const SQLite::Column blob = query.getColumn(0);
  const std::string bytes(static_cast<const char*>(blob.getBlob()),
                          static_cast<size_t>(blob.getBytes()));
  const Hash digest = hash_of(bytes);
  if (row.payload != std::string(digest.begin(), digest.end())) {
    differ("digest of the snapshot", "that of other bytes", hex(digest));
    return {};
  }
  const Result<State> kept = decode_state(bytes);
  if (!kept) return tl::unexpected(kept.error());
  if (auto difference = first_difference(*kept, state_)) {
    differ("snapshot: " + difference->what, difference->recorded, difference->computed);
  }
  return {};
}

void Verifier::take_record(const EventRow& row) {
  ++report_.records;
  if (due_first_ == due_.size()) {
    differ("record", summary(row), "nothing");
    return;
  }
  compare(row, due_[due_first_++]);
}

Status Verifier::take(const EventRow& row) {
  const bool more_due = due_first_ < due_.size();
  if (more_due && (is_input(row) || row.kind == kSnapshotKind)) {
    differ("record missing before it", "nothing", summary(due_[due_first_]));
    return {};
  }
  if (is_input(row)) return take_input(row);
  if (row.kind == kSnapshotKind) return take_snapshot(row);
  take_record(row);
  return {};
}

void Verifier::check_end() {
  at_ = report_.last_event;
  if (due_first_ < due_.size()) {
    differ("record missing after it", "nothing", summary(due_[due_first_]));
  }
  SQLite::Statement head(store_.database(), "SELECT last_event, commit_number FROM broker");
  const bool there = head.executeStep();
  const int64_t last = there ? head.getColumn(0).getInt64() : 0;
  if (last != report_.last_event) {
    differ("last event", std::to_string(report_.last_event), std::to_string(last));
  }
  if (there && head.getColumn(1).getInt64() < batch_) {
    differ("last commit", std::to_string(head.getColumn(1).getInt64()), std::to_string(batch_));
  }
  at_ = 0;
  State tables;
  if (const Status loaded = load_tables(store_.database(), tables); !loaded) {
    differ("current tables", loaded.error().message, "tables that can be read");
  } else if (auto difference = first_difference(tables, state_)) {
    differ(difference->what, difference->recorded, difference->computed);
  }
}

Result<VerifyReport> Verifier::run() {
  const SQLite::Transaction one_view(store_.database());
  if (Status done = start(); !done) return tl::unexpected(done.error());
  SQLite::Statement rows(store_.database(),
                         std::string("SELECT ") + kEventColumns + " FROM event ORDER BY id");
  EventRow row;
  report_.first_event = expected_id_;
  while (!found() && rows.executeStep()) {
    const bool sound = read_row(rows, row);
    at_ = row.id;
    check_chain(row, sound);
    ++report_.events;
    report_.last_event = row.id;
    if (found()) break;
    if (Status done = take(row); !done) return tl::unexpected(done.error());
  }
  if (from_snapshot_ && report_.events == 0) differ("event of the first snapshot", "none", "one");
  if (!found()) check_end();
  return report_;
}

}  // namespace

Result<VerifyReport> verify(SqliteStore& store) {
  try {
    return Verifier(store).run();
  } catch (const SQLite::Exception& error) {
    return database_error(store.path(), error);
  }
}

std::string describe(const Difference& difference) {
  const std::string where = difference.event_id == 0
                                ? "the current tables"
                                : "event " + std::to_string(difference.event_id);
  return where + ": " + difference.what + ": the database says " + difference.recorded +
         ", the core says " + difference.computed;
}

}  // namespace leasehold
