#include "broker/store/sqlite/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "broker/store/coming_row.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/sqlite/commit_file.hpp"
#include "broker/store/sqlite/kept_log.hpp"
#include "broker/store/sqlite/log.hpp"
#include "broker/store/sqlite/log_writing.hpp"
#include "broker/store/sqlite/open.hpp"
#include "common/database_name.hpp"
#include "common/files/open_file.hpp"

namespace leasehold {

namespace {

constexpr int64_t kAlone = 0;  // its epoch: nobody else has the database

/// The database's files as they were opened: one that has lost its name is gone with the process.
struct OpenedFiles {
  std::string path;
  std::optional<FileIdentity> file = std::nullopt;
  std::optional<FileIdentity> wal = std::nullopt;  // once something was committed

  Status check_in_place() const;
};

/// A removed WAL is checkpointed as the connection is closed, and the next connection has all of
/// it.
Status OpenedFiles::check_in_place() const {
  if (identity_of(path) != file) return database_gone(path);
  if (!wal || identity_of(path + "-wal") == wal) return {};
  return fail(ErrorCode::io,
              path + "-wal was removed while the broker ran; the database is opened again");
}

}  // namespace

struct SqliteStore::Parts {
  OpenedFiles files;
  StoreOptions options;
  LockFile lock;
  std::optional<CommitFile> commit_file;
  std::unique_ptr<SQLite::Database> db;
  std::optional<SqliteLog> log;  // by the same connection
  std::unique_ptr<LogWriting> write;
  std::optional<SqliteKept> kept;
  std::optional<Bases> bases;
  LogEnd end;
  ComingRow coming;
  bool database_older = false;
  std::string broken;  // why no further commit is taken
  std::string compaction_error;

  Status end_with(const Error& error);
  void write_row(const LogRow& row);
  void after_commit(State& state);
  Status shorten(const State& state, bool again);
};

/// Fails with the error; no further commit is taken.
Status SqliteStore::Parts::end_with(const Error& error) {
  broken = error.message;
  return tl::unexpected(error);
}

void SqliteStore::Parts::write_row(const LogRow& row) {
  SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::IMMEDIATE);
  write->row(row);
  meet_fault(options.fault, "commit");
  transaction.commit();
}

/// Does what is no part of the commit, which stands even if this fails.
void SqliteStore::Parts::after_commit(State& state) {
  clear_marks(state);
  const bool again = !compaction_error.empty();
  compaction_error.clear();
  if (commit_file) {
    // Nothing is lost when this fails: an older number only notices less.
    if (const Status done = commit_file->write(end.batch); !done) {
      compaction_error = done.error().message;
    }
  }
  const Status kept_short = shorten(state, again);
  if (!kept_short) compaction_error = kept_short.error().message;
}

/// Writes a base where one is needed, and removes what retention then lets go. `again`: the last
/// try failed.
Status SqliteStore::Parts::shorten(const State& state, bool again) {
  const Result<bool> finished = bases->after_commit(options.retention, end, state);
  if (!finished) return tl::unexpected(finished.error());
  if (!*finished && !again) return {};
  try {
    meet_fault(options.fault, "compact");
  } catch (const SQLite::Exception& error) {
    return database_error(files.path, error);
  }
  return bases->compact(options.retention, state.now);
}

tl::unexpected<Error> database_gone(const std::string& path) {
  return fail(ErrorCode::io,
              path +
                  " was removed or replaced while the broker ran; put it back as it was, or stop "
                  "the broker, restore a backup (leasectl restore) and start it");
}

SqliteStore::SqliteStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path, OpenMode mode,
                                                       StoreOptions options) {
  if (is_conninfo(path)) return fail(ErrorCode::usage, "the database " + conninfo_fault());
  if (path.find("://") != std::string::npos) {
    return fail(ErrorCode::usage, "\"" + path +
                                      "\" is no file, and only a file will do here, as in "
                                      "\"leasehold.db\"; only a broker's own database may be "
                                      "on a server (postgresql://…)");
  }
  auto parts = std::make_unique<Parts>();
  parts->files.path = path;
  parts->options = std::move(options);
  if (mode == OpenMode::broker) {
    Result<LockFile> lock = lock_database(path);
    if (!lock) return tl::unexpected(lock.error());
    parts->lock = std::move(*lock);
  }
  auto db = open_connection(path, mode, parts->options);
  if (!db) return tl::unexpected(db.error());
  parts->db = std::move(*db);
  parts->files.file = identity_of(path);
  parts->log.emplace(*parts->db, path);
  Result<LogEnd> end = read_end(*parts->log);
  if (!end) return tl::unexpected(end.error());
  parts->end = *end;
  try {
    const StoreOptions& own = parts->options;
    parts->write = std::make_unique<LogWriting>(*parts->db, own.fault);
    parts->kept.emplace(*parts->db, path, own.fault);
  } catch (const SQLite::Exception& error) {
    return database_error(path, error);
  }
  parts->bases.emplace(*parts->log, *parts->kept, parts->options.base_maker);
  if (Status begun = parts->bases->begin(); !begun) return tl::unexpected(begun.error());
  if (mode == OpenMode::broker) {
    Result<CommitFile> file = CommitFile::open(path);
    if (!file) return tl::unexpected(file.error());
    const Result<int64_t> number = file->read();
    if (!number) return tl::unexpected(number.error());
    parts->database_older = *number > parts->end.batch;
    parts->commit_file = std::move(*file);
  }
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(parts)));
}

Result<State> SqliteStore::load() {
  Result<State> state = load_state(*parts_->log);
  if (state) parts_->coming.begin(*state);
  return state;
}

void SqliteStore::append(const Event& event, Instant now, std::span<const Record> records,
                         const State& state) {
  parts_->coming.add(event, now, records, state);
}

Status SqliteStore::commit(State& state) {
  if (!parts_->broken.empty()) {
    return fail(ErrorCode::io, "an earlier commit failed and the database was not opened again: " +
                                   parts_->broken);
  }
  if (parts_->coming.is_empty()) return {};
  const LogRow& row = parts_->coming.make(state, kAlone, parts_->end);
  parts_->bases->before_commit(row, parts_->end.last_event, state);
  if (Status there = parts_->files.check_in_place(); !there) return parts_->end_with(there.error());
  try {
    parts_->write_row(row);
  } catch (const SQLite::Exception& error) {
    return parts_->end_with(database_error(parts_->files.path, error).value());
  }
  if (!parts_->files.wal) parts_->files.wal = identity_of(parts_->files.path + "-wal");
  // Nothing is acknowledged that went into a file which lost its name meanwhile.
  if (Status there = parts_->files.check_in_place(); !there) return parts_->end_with(there.error());
  parts_->after_commit(state);
  return {};
}

int64_t SqliteStore::coming_bytes() const {
  return parts_->coming.bytes();
}
int64_t SqliteStore::row_bytes() const {
  return parts_->coming.row_bytes();
}
int64_t SqliteStore::last_event() const {
  return parts_->end.last_event;
}
bool SqliteStore::database_older() const {
  return parts_->database_older;
}
const Hash& SqliteStore::log_hash() const {
  return parts_->end.hash;
}

int64_t SqliteStore::commit_number() const {
  return parts_->end.batch;
}
const std::string& SqliteStore::compaction_error() const {
  return parts_->compaction_error;
}
const std::string& SqliteStore::path() const {
  return parts_->files.path;
}
Log& SqliteStore::log() {
  return *parts_->log;
}
SQLite::Database& SqliteStore::database() {
  return *parts_->db;
}

}  // namespace leasehold
