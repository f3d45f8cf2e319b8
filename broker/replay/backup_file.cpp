#include "broker/replay/backup_file.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "broker/replay/coming_file.hpp"
#include "broker/store/database.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/sqlite/commit_file.hpp"
#include "broker/store/sqlite/database_check.hpp"
#include "broker/store/sqlite/log_writing.hpp"
#include "broker/store/sqlite/store.hpp"
#include "broker/views/answer.hpp"
#include "common/database_name.hpp"
#include "common/text/base64.hpp"

namespace leasehold {

namespace {

tl::unexpected<Error> not_a_part(const char* what) {
  return fail(ErrorCode::version, std::string("the broker's answer is not a part of a log: ") +
                                      what + "; make the copy again");
}

tl::unexpected<Error> other_bytes(int64_t event) {
  return fail(ErrorCode::corrupt, "the broker's answer about event " + std::to_string(event) +
                                      " is damaged: its hash does not follow from the one before; "
                                      "leasectl replay DB --verify says more");
}

/// Reads the numbers of an item; false if there are not as many as there should be.
bool take_numbers(const Json& from, std::span<int64_t> into) {
  if (!from.is_array() || from.size() != into.size()) return false;
  for (size_t i = 0; i < into.size(); ++i) {
    const Json& value = from[i];
    if (value.is_boolean()) {
      into[i] = value.get<bool>() ? 1 : 0;
    } else if (value.is_number_integer()) {
      into[i] = value.get<int64_t>();
    } else {
      return false;
    }
  }
  return true;
}

bool take_bytes(const Json& item, std::string& body, Hash& hash) {
  const std::optional<std::string> bytes = from_base64(text_at(item, "body"));
  const std::optional<std::string> kept = from_base64(text_at(item, "hash"));
  if (!bytes || !kept || !take_hash(*kept, hash)) return false;
  body = *bytes;
  return true;
}

}  // namespace

struct BackupFile::Parts {
  std::string path;
  std::string coming;
  std::unique_ptr<SqliteStore> store;
  std::unique_ptr<LogWriting> write;
  BackupPlace place;
  std::optional<int64_t> last_wanted;
  int64_t first_event = 0;
  int64_t last_event = 0;
  int64_t batch = 0;
  Hash hash{};
  std::vector<Chunk> base;  // chunks of the base that is being received
  uint64_t base_left = 0;   // bytes that its next chunks have together
  bool begun = false;
  bool ended = false;  // the broker has no more
  bool finished = false;

  Status add_item(const Json& item);
  Status add_row(const Json& item);
  Status add_part(const Json& item);
  Status end_base();
};

Status BackupFile::Parts::add_row(const Json& item) {
  if (Status whole = end_base(); !whole) return whole;
  std::array<int64_t, 6> numbers{};
  LogRow row;
  if (!take_numbers(item["row"], numbers) || !take_bytes(item, row.body, row.hash)) {
    return not_a_part("a row");
  }
  row.first_event = numbers[0];
  row.batch = numbers[1];
  row.time.ms = numbers[2];
  row.clock_set = numbers[3] != 0;
  row.core_version = static_cast<int>(numbers[4]);
  row.epoch = numbers[5];
  if (row.first_event > last_wanted.value_or(INT64_MAX)) return {};
  if (row.first_event != last_event + 1 || chain_hash(hash, row) != row.hash) {
    return other_bytes(row.first_event);
  }
  const Result<LogBody> body = LogBody::read(row);
  if (!body) return tl::unexpected(body.error());
  write->row(row);
  if (first_event == 0) first_event = row.first_event;
  last_event = row.first_event + body->events() - 1;
  batch = row.batch;
  hash = row.hash;
  begun = true;
  return {};
}

Status BackupFile::Parts::add_part(const Json& item) {
  std::array<int64_t, 3> numbers{};
  Chunk chunk;
  if (!take_numbers(item["base"], numbers) || !take_bytes(item, chunk.body, chunk.hash)) {
    return not_a_part("a base");
  }
  if (numbers[0] > last_wanted.value_or(INT64_MAX)) return {};
  if (numbers[1] != static_cast<int64_t>(base.size())) return other_bytes(numbers[0]);
  return add_chunk(base, std::move(chunk), base_left);
}

/// Checks a finished base: it names the row that it follows, and the first one the hash with which
/// the chain begins.
Status BackupFile::Parts::end_base() {
  if (base.empty()) return {};
  const Result<Base> whole = base_of(base);
  if (!whole) return tl::unexpected(whole.error());
  const bool follows = whole->last_event == last_event && whole->log_hash == hash;
  if (begun && !follows) return other_bytes(whole->last_event);
  write->base(whole->last_event, whole->time, base);
  last_event = whole->last_event;
  hash = whole->log_hash;
  batch = whole->batch;
  base.clear();
  begun = true;
  return {};
}

Status BackupFile::Parts::add_item(const Json& item) {
  if (item.is_object() && item.contains("row")) return add_row(item);
  if (item.is_object() && item.contains("base")) return add_part(item);
  return not_a_part("neither a row nor a base");
}

BackupFile::BackupFile(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
BackupFile::BackupFile(BackupFile&&) noexcept = default;
BackupFile& BackupFile::operator=(BackupFile&&) noexcept = default;

BackupFile::~BackupFile() {
  if (parts_ == nullptr || parts_->finished) return;
  parts_->write.reset();
  parts_->store.reset();
  ::unlink(parts_->coming.c_str());
}

Result<BackupFile> BackupFile::create(const std::string& path) {
  if (file_exists(path)) {
    return fail(ErrorCode::refused, path + " is there already; name a new file");
  }
  remove_abandoned(path);
  auto parts = std::make_unique<Parts>();
  parts->path = path;
  parts->coming = coming_name(path);
  if (Status made = make_file(parts->coming); !made) return tl::unexpected(made.error());
  BackupFile file(std::move(parts));
  auto store = SqliteStore::open(file.parts_->coming, OpenMode::create_for_simulation);
  if (!store) return tl::unexpected(store.error());
  file.parts_->store = std::move(*store);
  static const Fault kNone;
  file.parts_->write = std::make_unique<LogWriting>(file.parts_->store->database(), kNone);
  return file;
}

Status BackupFile::add(const Json& page) {
  const std::optional<int64_t> end = integer_at(page, "last_event");
  const std::optional<int64_t> after = integer_at(page, "after");
  const std::optional<int64_t> part = integer_at(page, "part");
  const auto items = page.find("items");
  if (!end || !after || !part || items == page.end() || !items->is_array()) {
    return not_a_part("it does not say where it ends");
  }
  if (!parts_->last_wanted) parts_->last_wanted = *end;
  parts_->ended = items->empty();
  const auto had = std::pair(parts_->last_event, parts_->base.size());
  try {
    SQLite::Transaction all(parts_->store->database());
    for (const Json& item : *items) {
      if (Status added = parts_->add_item(item); !added) return added;
    }
    all.commit();
  } catch (const SQLite::Exception& error) {
    return database_error(parts_->path, error);
  }
  parts_->place = {*after, *part};
  // Parts that add nothing before the end is reached might come without end.
  if (!is_complete() && had == std::pair(parts_->last_event, parts_->base.size())) {
    return not_a_part("it lies beyond the end of the log that its first part named");
  }
  return {};
}

BackupPlace BackupFile::place() const {
  return parts_->place;
}

bool BackupFile::is_complete() const {
  const Parts& parts = *parts_;
  return parts.ended ||
         (parts.base.empty() && parts.begun && parts.last_event >= *parts.last_wanted);
}

int64_t BackupFile::events_done() const {
  return parts_->last_event;
}

int64_t BackupFile::events_wanted() const {
  return parts_->last_wanted.value_or(0);
}

Result<BackupMade> BackupFile::finish() {
  Parts& parts = *parts_;
  try {
    if (Status whole = parts.end_base(); !whole) return tl::unexpected(whole.error());
  } catch (const SQLite::Exception& error) {
    return database_error(parts.path, error);
  }
  if (parts.last_event < *parts.last_wanted) return not_a_part("it ends too early");
  const Result<State> state = parts.store->load();
  if (!state) return tl::unexpected(state.error());
  if (Status sound = check_ledger(parts.path, *state); !sound) {
    return tl::unexpected(sound.error());
  }
  const int64_t events = parts.first_event == 0 ? 0 : parts.last_event - parts.first_event + 1;
  const BackupMade made{parts.path, events, parts.last_event, parts.batch, state->now};
  parts.write.reset();
  parts.store.reset();
  if (Status named = name_it(parts.coming, parts.path); !named) {
    return tl::unexpected(named.error());
  }
  parts.finished = true;
  return made;
}

namespace {

/// Also checks for SQLite's files of an earlier database of that name, which SQLite would apply to
/// this one.
Status require_free(const std::string& database) {
  for (const char* end : {"", "-wal", "-shm"}) {
    const std::string path = database + end;
    if (file_exists(path)) {
      return fail(ErrorCode::refused, path + " is there already; move it away first, with " +
                                          database + "-wal and " + database +
                                          "-shm if they are "
                                          "there (not " +
                                          database + ".commit)");
    }
  }
  return {};
}

/// An empty write-ahead log counts for nothing: a reader that may not write leaves one at an idle
/// database.
bool has_log(const std::string& database) {
  std::error_code none;
  return std::filesystem::file_size(database + "-wal", none) > 0 && !none;
}

Result<BackupMade> judge_backup(const std::string& backup) {
  if (has_log(backup)) {
    return fail(ErrorCode::refused, backup + " has a log beside it (" + backup +
                                        "-wal): it is a database that is or was in use, not a "
                                        "copy; make one with leasectl backup FILE --db " +
                                        backup);
  }
  const auto opened = open_log(backup);
  if (!opened) return tl::unexpected(opened.error());
  const auto one_view = (*opened)->one_view();
  if (!one_view) return tl::unexpected(one_view.error());
  Result<FollowedLog> log = FollowedLog::begin_oldest(**opened);
  if (!log) return tl::unexpected(log.error());
  const int64_t before = log->last_event();
  if (Status done = log->apply_until(); !done) return tl::unexpected(done.error());
  if (Status sound = check_ledger(backup, log->state()); !sound) {
    return tl::unexpected(sound.error());
  }
  return BackupMade{backup, log->last_event() - before, log->last_event(), log->batch(),
                    log->state().now};
}

Status place(const std::string& backup, const std::string& database) {
  remove_abandoned(database);
  const std::string coming = coming_name(database);
  std::error_code failed;
  std::filesystem::copy_file(backup, coming, std::filesystem::copy_options::overwrite_existing,
                             failed);
  Status placed =
      failed ? Status(fail(ErrorCode::io, "cannot write " + coming + ": " + failed.message()))
             : name_it(coming, database);
  if (!placed) ::unlink(coming.c_str());
  return placed;
}

}  // namespace

int64_t commits_made(const std::string& database) {
  const auto log = open_log(database);
  return log ? (*log)->commits_elsewhere().value_or(0) : 0;
}

Result<BackupMade> restore_backup(const std::string& backup, const std::string& database) {
  if (is_conninfo(database)) return fail(ErrorCode::usage, "the database " + conninfo_fault());
  if (is_server(database)) {
    return fail(
        ErrorCode::usage,
        without_password(database) +
            " is on a server, and a copy is put back into a file: name a file; the server's "
            "own tools (pg_dump and pg_restore, or its replication) put a server back");
  }
  // A broker whose database was moved away still holds this lock. Where no broker ever ran, the
  // lock file is made last, so that a refusal leaves nothing behind.
  Result<LockFile> lock = LockFile();
  const bool used = file_exists(database + ".lock");
  if (used) lock = lock_database(database);
  if (!lock) return tl::unexpected(lock.error());
  if (Status free = require_free(database); !free) return tl::unexpected(free.error());
  Result<BackupMade> made = judge_backup(backup);
  if (!made) return made;
  if (!used) lock = lock_database(database);
  if (!lock) return tl::unexpected(lock.error());
  if (Status last = adjust_number_for_copy(database, made->batch); !last) {
    return tl::unexpected(last.error());
  }
  if (Status placed = place(backup, database); !placed) return tl::unexpected(placed.error());
  made->file = database;
  return made;
}

}  // namespace leasehold
