#include "broker/store/sqlite/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "broker/record/event_codec.hpp"
#include "broker/record/images.hpp"
#include "broker/store/sqlite/bases.hpp"
#include "broker/store/sqlite/commit_file.hpp"
#include "broker/store/sqlite/follow_log.hpp"
#include "broker/store/sqlite/log_table.hpp"
#include "broker/store/sqlite/open.hpp"
#include "common/check.hpp"
#include "common/version.hpp"

namespace leasehold {

struct SqliteStore::Parts {
  std::string path;
  OpenMode mode = OpenMode::read_only;
  StoreOptions options;
  LockFile lock;
  std::optional<CommitFile> commit_file;
  std::unique_ptr<SQLite::Database> db;
  std::unique_ptr<LogWriting> write;  // not when reading only
  std::unique_ptr<Bases> bases;       // the same
  LogEnd end;
  BodyWriter body;  // waits for commit
  ImageWriter images;
  LogRow row;
  std::string image_bytes;
  bool database_older = false;
  std::string broken;  // why no further commit is taken
  std::string compaction_error;

  void make_row(const State& state);
  void write_row();
  void after_commit(State& state);
};

/// The next row of the log, of what waits.
void SqliteStore::Parts::make_row(const State& state) {
  row.first_event = end.last_event + 1;
  row.batch = end.batch + 1;
  row.time = body.time();
  row.clock_set = body.clock_set();
  row.core_version = kCoreVersion;
  row.body.clear();
  end.last_event += body.events();
  image_bytes.clear();
  images.write(state, image_bytes);
  body.finish(image_bytes, row.body);
  row.hash = chain_hash(end.hash, row);
  end.batch = row.batch;
  end.hash = row.hash;
  end.time = state.now;
  bases->before_commit(row, end.last_event, state);
}

void SqliteStore::Parts::write_row() {
  SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::IMMEDIATE);
  write->row(row);
  meet_fault(options.fault, "commit");
  transaction.commit();
}

/// No part of the commit, which stands whatever becomes of this.
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
  try {
    if (!bases->after_commit(options.retention, end, state) && !again) return;
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
    Result<LogEnd> end = read_end(*parts->db);
    if (!end) return tl::unexpected(end.error());
    parts->end = *end;
    if (mode != OpenMode::read_only) {
      const StoreOptions& own = parts->options;
      parts->write = std::make_unique<LogWriting>(*parts->db, own.fault);
      parts->bases = std::make_unique<Bases>(*parts->db, own.fault, own.base_maker);
    }
  } catch (const SQLite::Exception& error) {
    return database_error(path, error);
  }
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
  try {
    SQLite::Transaction one_view(*parts_->db);
    Result<FollowedLog> log = FollowedLog::begin(*parts_->db);
    if (!log) return tl::unexpected(log.error());
    if (Status done = log->apply_until(); !done) return tl::unexpected(done.error());
    clear_marks(log->state());
    parts_->images.begin(log->state());
    return std::move(log->state());
  } catch (const SQLite::Exception& error) {
    return database_error(parts_->path, error);
  }
}

void SqliteStore::append(const Event& event, Instant now, std::span<const Record> records,
                         const State& state) {
  parts_->body.add(event, now);
  const std::string_view by = by_whom(event);
  for (const Record& record : records) parts_->body.add(record, now, state, by);
}

Status SqliteStore::commit(State& state) {
  LEASEHOLD_CHECK(parts_->write != nullptr, "a store opened for reading is not written");
  if (!parts_->broken.empty()) {
    return fail(ErrorCode::io, "an earlier commit failed and the database was not opened again: " +
                                   parts_->broken);
  }
  if (parts_->body.empty()) return {};
  parts_->make_row(state);
  try {
    parts_->write_row();
  } catch (const SQLite::Exception& error) {
    tl::unexpected<Error> failed = database_error(parts_->path, error);
    parts_->broken = failed.value().message;
    return failed;
  }
  parts_->after_commit(state);
  return {};
}

int64_t SqliteStore::last_event() const {
  return parts_->end.last_event;
}
bool SqliteStore::database_older() const {
  return parts_->database_older;
}
int64_t SqliteStore::commit_number() const {
  return parts_->end.batch;
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

}  // namespace leasehold
