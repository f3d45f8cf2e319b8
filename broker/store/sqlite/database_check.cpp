#include "broker/store/sqlite/database_check.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/sqlite/log.hpp"
#include "broker/store/sqlite/migrations.hpp"
#include "broker/store/sqlite/open.hpp"
#include "broker/store/sqlite/statements.hpp"
#include "common/files/regular_file.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

/// SQLite reads a table's pages in one go, which nothing interrupts: more is left out.
constexpr int64_t kHistoryBytesMost = int64_t{512} << 20U;
constexpr int kOpcodesBetween = 10'000;

Error damaged(const std::string& path, const std::string& what) {
  return {ErrorCode::corrupt,
          "the database " + path + " is damaged (" + what +
              "); it is not served. Stop whatever uses it, move it, " + path + "-wal and " + path +
              "-shm away (not " + path +
              ".commit), put a backup in its place (leasectl restore BACKUP " + path +
              "), then start: agents state what they hold. What happened since the backup is "
              "missing from its history",
          {},
          0,
          0};
}

class Check {
 public:
  Check(std::string path, int64_t budget_ms)
      : path_(std::move(path)),
        until_ms_(boottime_ms() + budget_ms),
        db_(path_, SQLite::OPEN_READONLY, kBusyTimeoutMs),
        log_(db_, path_) {
    sqlite3_progress_handler(db_.getHandle(), kOpcodesBetween, &Check::interrupts, this);
  }

  bool is_brokers() {
    return db_.execAndGet(
                  "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('log', "
                  "'base')")
               .getInt() == 2;
  }
  void pages_of_tables();
  void newest_part();
  void older_part();
  bool is_large() {
    return db_.execAndGet("PRAGMA page_count").getInt64() *
               db_.execAndGet("PRAGMA page_size").getInt64() >
           kHistoryBytesMost;
  }

  SQLite::Database& db() { return db_; }
  const std::optional<std::string>& found() const { return found_; }
  bool time_is_up() const { return boottime_ms() >= until_ms_; }
  std::optional<Instant> last_event() const { return last_event_; }

 private:
  static int interrupts(void* self) { return static_cast<Check*>(self)->time_is_up() ? 1 : 0; }
  void note(const std::string& what) {
    if (!found_) found_ = what;
  }
  void note(const Error& error);
  void read_rows(Result<FollowedLog> log, int64_t until);

  std::string path_;
  int64_t until_ms_;
  SQLite::Database db_;
  SqliteLog log_;
  std::optional<std::string> found_;
  std::optional<Instant> last_event_;
  int64_t newest_part_ = 0;  // begins after this event
};

/// An error that is not damage (time is up, or the database cannot be opened) is thrown.
void Check::note(const Error& error) {
  if (error.code != ErrorCode::corrupt) {
    throw SQLite::Exception(error.message, time_is_up() ? SQLITE_INTERRUPT : SQLITE_ERROR);
  }
  sqlite3* db = db_.getHandle();
  note(sqlite3_errcode(db) == SQLITE_CORRUPT ? sqlite3_errmsg(db) : error.message);
}

void Check::pages_of_tables() {
  SQLite::Statement names(db_, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  while (!found_ && names.executeStep()) {
    const std::string table = names.getColumn(0).getString();
    if (table.rfind("sqlite_", 0) == 0 || table.find('\'') != std::string::npos) continue;
    SQLite::Statement pages(db_, "PRAGMA quick_check('" + table + "')");
    if (!pages.executeStep()) continue;
    const std::string said = pages.getColumn(0).getString();
    if (said != "ok") note("table " + table + ": " + said);
  }
}

/// Checks every hash from a base on, up to the row with event `until`.
void Check::read_rows(Result<FollowedLog> log, int64_t until) {
  if (!log) return note(log.error());
  while (!found_ && log->next_event() <= until) {
    const Result<bool> there = log->read();
    if (!there) return note(there.error());
    if (!*there) return;
    log->pass_over();
  }
}

/// Reads what a start reads: the newest base, and the rows after it.
void Check::newest_part() {
  Result<FollowedLog> log = FollowedLog::begin(log_);
  if (log) newest_part_ = log->last_event();
  read_rows(std::move(log), INT64_MAX);
  if (found_) return;
  const Result<LogEnd> end = read_end(log_);
  if (!end) return note(end.error());
  last_event_ = end->time;
}

void Check::older_part() {
  if (newest_part_ > 0) read_rows(FollowedLog::begin_oldest(log_), newest_part_);
}

/// Finds out first whether the schema is known: rows of an unknown one might look damaged.
Status check_schema_known(SQLite::Database& db, const std::string& path) {
  Status known = check_can_migrate(db, built_in_migrations());
  if (known || known.error().code != ErrorCode::version) return {};
  Error error = known.error();
  error.file = path;
  return tl::unexpected(std::move(error));
}

Result<CheckedDatabase> run(const std::string& path, int64_t budget_ms) {
  Check check(path, budget_ms);
  CheckedDatabase checked;
  try {
    const SQLite::Transaction one_view(check.db());
    if (Status known = check_schema_known(check.db(), path); !known) {
      return tl::unexpected(known.error());
    }
    if (!check.is_brokers()) return checked;
    check.newest_part();
    checked.last_event = check.last_event();
    checked.all = !check.is_large() && !check.time_is_up();
    if (checked.all) check.older_part();
    if (checked.all) check.pages_of_tables();
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() != SQLITE_INTERRUPT) throw;
    checked.all = false;
  }
  if (check.found()) return tl::unexpected(damaged(path, *check.found()));
  return checked;
}

std::optional<Instant> written_at(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return std::nullopt;
  return Instant{int64_t{file.st_mtim.tv_sec} * 1000 + file.st_mtim.tv_nsec / 1'000'000};
}

}  // namespace

Result<CheckedDatabase> check_database(const std::string& path, int64_t budget_ms) {
  const std::optional<Instant> there = written_at(path);
  if (!there) return CheckedDatabase{};
  if (Status regular = check_database_file(path); !regular) {
    return tl::unexpected(regular.error());
  }
  try {
    return run(path, budget_ms);
  } catch (const SQLite::Exception& error) {
    switch (error.getErrorCode()) {
      case SQLITE_CORRUPT:
        return tl::unexpected(damaged(path, error.what()));
      case SQLITE_NOTADB:
        return database_error(path, error);
      default:
        return CheckedDatabase{};  // what keeps it from being read, opening it tells
    }
  }
}

Status check_ledger(const std::string& path, const State& state) {
  const std::vector<std::string> found = violations(state);
  if (found.empty()) return {};
  return tl::unexpected(damaged(path, found.front()));
}

std::optional<Instant> last_write_of(const std::string& path) {
  const std::optional<Instant> database = written_at(path);
  const std::optional<Instant> beside = written_at(path + ".commit");
  if (!database) return beside;
  return beside ? std::max(*database, *beside) : database;
}

}  // namespace leasehold
