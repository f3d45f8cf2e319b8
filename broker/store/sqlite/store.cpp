#include "broker/store/sqlite/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include "broker/record/event_codec.hpp"
#include "broker/record/history_row.hpp"
#include "broker/record/history_snapshot.hpp"
#include "broker/store/sqlite/commit_file.hpp"
#include "broker/store/sqlite/open.hpp"
#include "broker/store/sqlite/tables.hpp"
#include "common/check.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

const char* const kInsertEvent =
    "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const char* const kHead =
    "INSERT OR REPLACE INTO broker (one, commit_number, last_event, now_ms, started_ms, "
    "incarnation, generation_next, transfer_next, frozen, history_bytes, snapshot_ms, "
    "freeze_order) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Where the history stands: what the next row continues from.
struct Head {
  int64_t commit_number = 0;
  int64_t last_event = 0;
  Hash hash{};  // of the last event
  int64_t history_bytes = 0;
  std::optional<int64_t> snapshot_ms;
  int64_t snapshot_bytes = 0;
};

void read_newest(SQLite::Database& db, Head& head) {
  SQLite::Statement event(db, "SELECT id, hash FROM event ORDER BY id DESC LIMIT 1");
  if (event.executeStep()) {
    head.last_event = event.getColumn(0).getInt64();
    if (!read_hash(event, 1, head.hash)) throw SQLite::Exception("bad hash of an event", 11);
  }
  SQLite::Statement blob(db, "SELECT length(state) FROM snapshot ORDER BY event_id DESC LIMIT 1");
  if (blob.executeStep()) head.snapshot_bytes = blob.getColumn(0).getInt64();
}

Head read_head(SQLite::Database& db) {
  Head head;
  SQLite::Statement query(db, "SELECT commit_number, history_bytes, snapshot_ms FROM broker");
  if (!query.executeStep()) return head;
  head.commit_number = query.getColumn(0).getInt64();
  head.history_bytes = query.getColumn(1).getInt64();
  head.snapshot_ms = query.getColumn(2).getInt64();
  read_newest(db, head);
  return head;
}

struct WriteStatements {
  WriteStatements(SQLite::Database& db, const Fault& fault)
      : tables(db, fault),
        event(db, fault, kInsertEvent),
        head(db, fault, kHead),
        snapshot(db, fault, "INSERT INTO snapshot VALUES (?, ?, ?, ?, ?, ?)") {}
  CurrentTables tables;
  Writing event, head, snapshot;
};

}  // namespace

struct SqliteStore::Parts {
  std::string path;
  OpenMode mode = OpenMode::read_only;
  StoreOptions options;
  LockFile lock;
  std::optional<CommitFile> commit_file;
  std::unique_ptr<SQLite::Database> db;
  std::unique_ptr<WriteStatements> write;  // not when reading only
  Head head;
  std::vector<EventRow> rows;  // the first `rows_used` wait for commit
  size_t rows_used = 0;
  bool database_older = false;
  std::string broken;  // why no further commit is taken
  std::string compaction_error;

  EventRow& next_row();
  void chain(EventRow& row);
  void write_all(State& state);
  void write_snapshot(const State& state);
  void write_head(const State& state);
  void after_commit(State& state, const Head& before);
};

EventRow& SqliteStore::Parts::next_row() {
  if (rows_used == rows.size()) rows.emplace_back();
  return rows[rows_used++];
}

void SqliteStore::Parts::chain(EventRow& row) {
  row.id = ++head.last_event;
  row.batch = head.commit_number + 1;
  row.hash = chain_hash(head.hash, row);
  head.hash = row.hash;
  head.history_bytes += size_of(row);
  // Also where time was set back: the next one is due as long after it as ever.
  if (!head.snapshot_ms || *head.snapshot_ms > row.time_ms) head.snapshot_ms = row.time_ms;
}

void SqliteStore::Parts::write_snapshot(const State& state) {
  std::string bytes;
  encode_state(state, bytes);
  const Hash digest = hash_of(bytes);
  const Hash previous = head.hash;
  EventRow& row = next_row();
  clear(row);
  row.time_ms = state.now.ms;
  row.kind = kSnapshotKind;
  row.numbers = "{\"core_version\":" + std::to_string(kCoreVersion) +
                ",\"bytes\":" + std::to_string(bytes.size()) + "}";
  row.payload.assign(reinterpret_cast<const char*>(digest.data()), digest.size());
  chain(row);
  write->snapshot(row.id, row.batch, row.time_ms, int64_t{kCoreVersion},
                  Blob{std::string(previous.begin(), previous.end())}, Blob{bytes});
  write_row(write->event.statement(), row);
  write->event.run();
  head.history_bytes = 0;
  head.snapshot_ms = row.time_ms;
  head.snapshot_bytes = static_cast<int64_t>(bytes.size());
}

void SqliteStore::Parts::write_head(const State& state) {
  ++head.commit_number;
  std::string freeze;
  if (state.frozen) encode_order(state.freeze_order, freeze);
  write->head(head.commit_number, head.last_event, state.now.ms, state.started.ms,
              state.incarnation, state.generation_next, state.transfer_next, state.frozen,
              head.history_bytes, head.snapshot_ms.value_or(0), Blob{freeze});
}

void SqliteStore::Parts::write_all(State& state) {
  SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::IMMEDIATE);
  for (size_t i = 0; i < rows_used; ++i) {
    write_row(write->event.statement(), rows[i]);
    write->event.run();
  }
  write->tables.write(state);
  const Instant since{head.snapshot_ms.value_or(state.now.ms)};
  if (snapshot_due(options.retention, head.history_bytes, head.snapshot_bytes, since, state.now)) {
    write_snapshot(state);
  }
  write_head(state);
  meet_fault(options.fault, "commit");
  transaction.commit();
}

void SqliteStore::Parts::after_commit(State& state, const Head& before) {
  rows_used = 0;
  for (const uint32_t index : state.dirty_groups) state.slot_groups[index].dirty = false;
  state.dirty_groups.clear();
  if (state.dirty_clusters) {
    for (Cluster& cluster : state.clusters) cluster.dirty = cluster.hosts_dirty = false;
  }
  if (state.dirty_resource_groups) {
    for (ResourceGroupLedger& plan : state.resource_groups) plan.dirty = false;
  }
  state.dirty_clusters = state.dirty_config = state.dirty_resource_groups = false;
  const bool snapshot_taken = head.history_bytes < before.history_bytes;
  const bool again = !compaction_error.empty();
  compaction_error.clear();
  if (commit_file) {
    // Nothing is lost when this fails: an older number only notices less.
    if (const Status done = commit_file->write(head.commit_number); !done) {
      compaction_error = done.error().message;
    }
  }
  if (!snapshot_taken && !again) return;
  try {
    meet_fault(options.fault, "compact");
    compact(*db, options.retention, state.now);
  } catch (const SQLite::Exception& error) {
    compaction_error = database_error(path, error).value().message;
  }
}

SqliteStore::SqliteStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path, OpenMode mode,
                                                       StoreOptions options) {
  if (path.find("://") != std::string::npos) {
    return fail(ErrorCode::usage, "a database like \"" + path +
                                      "\" cannot be used yet; name a file, as in \"leasehold.db\"");
  }
  auto parts = std::make_unique<Parts>();
  parts->path = path;
  parts->mode = mode;
  parts->options = std::move(options);
  if (mode == OpenMode::broker) {
    Result<LockFile> lock = lock_database(path);
    if (!lock) return tl::unexpected(lock.error());
    parts->lock = std::move(*lock);
  }
  auto db = open_connection(path, mode, parts->options);
  if (!db) return tl::unexpected(db.error());
  parts->db = std::move(*db);
  try {
    parts->head = read_head(*parts->db);
    if (mode != OpenMode::read_only) {
      parts->write = std::make_unique<WriteStatements>(*parts->db, parts->options.fault);
    }
  } catch (const SQLite::Exception& error) {
    return database_error(path, error);
  }
  if (mode == OpenMode::broker) {
    Result<CommitFile> file = CommitFile::open(path);
    if (!file) return tl::unexpected(file.error());
    const Result<int64_t> number = file->read();
    if (!number) return tl::unexpected(number.error());
    parts->database_older = *number > parts->head.commit_number;
    parts->commit_file = std::move(*file);
  }
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(parts)));
}

Result<State> SqliteStore::load() {
  State state;
  try {
    SQLite::Transaction one_view(*parts_->db);
    if (Status done = load_tables(*parts_->db, state); !done) return tl::unexpected(done.error());
  } catch (const SQLite::Exception& error) {
    return database_error(parts_->path, error);
  }
  return state;
}

void SqliteStore::append(const Event& event, Instant now, std::span<const Record> records,
                         const State& state) {
  EventRow& input = parts_->next_row();
  input_row(input, event, now);
  parts_->chain(input);
  const std::string_view by = by_whom(event);
  for (const Record& record : records) {
    EventRow& row = parts_->next_row();
    record_row(row, record, now, state, by);
    parts_->chain(row);
  }
}

Status SqliteStore::commit(State& state) {
  LEASEHOLD_CHECK(parts_->write != nullptr, "a store opened for reading is not written");
  if (!parts_->broken.empty()) {
    return fail(ErrorCode::io, "an earlier commit failed and the database was not opened again: " +
                                   parts_->broken);
  }
  const bool dirty = !state.dirty_groups.empty() || state.dirty_clusters || state.dirty_config ||
                     state.dirty_resource_groups;
  if (parts_->rows_used == 0 && !dirty) return {};
  const Head before = parts_->head;
  try {
    parts_->write_all(state);
  } catch (const SQLite::Exception& error) {
    tl::unexpected<Error> failed = database_error(parts_->path, error);
    parts_->broken = failed.value().message;
    return failed;
  }
  parts_->after_commit(state, before);
  return {};
}

bool SqliteStore::database_older() const {
  return parts_->database_older;
}
int64_t SqliteStore::commit_number() const {
  return parts_->head.commit_number;
}
const std::string& SqliteStore::compaction_error() const {
  return parts_->compaction_error;
}
void SqliteStore::set_retention(const Retention& retention) {
  parts_->options.retention = retention;
}
const std::string& SqliteStore::path() const {
  return parts_->path;
}
SQLite::Database& SqliteStore::database() {
  return *parts_->db;
}

Status SqliteStore::backup(const std::string& target) {
  if (::access(target.c_str(), F_OK) == 0) {
    return fail(ErrorCode::refused, target + " is there already; name a new file");
  }
  try {
    SQLite::Statement copy(*parts_->db, "VACUUM INTO ?");
    copy.bind(1, target);
    copy.exec();
  } catch (const SQLite::Exception& error) {
    return database_error(target, error);
  }
  return {};
}

}  // namespace leasehold
