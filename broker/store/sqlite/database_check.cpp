#include "broker/store/sqlite/database_check.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "broker/core/model/invariants.hpp"
#include "broker/record/history_row.hpp"
#include "broker/store/sqlite/statements.hpp"
#include "common/clock.hpp"

namespace leasehold {

namespace {

constexpr int kBusyTimeoutMs = 2000;
constexpr int64_t kTailEvents = 20'000;
/// SQLite reads a table's pages in one go, which nothing interrupts: more is left out.
constexpr int64_t kHistoryBytesMost = int64_t{512} << 20U;
constexpr int kOpcodesBetween = 10'000;

Error damaged(const std::string& path, const std::string& what) {
  return {ErrorCode::corrupt,
          "the database " + path + " is damaged (" + what +
              "); it is not served. Stop whatever uses it, put a backup in its place (and remove " +
              path + "-wal and " + path +
              "-shm), then start: agents state what they hold. What happened since the backup is "
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
        db_(path_, SQLite::OPEN_READONLY, kBusyTimeoutMs) {
    sqlite3_progress_handler(db_.getHandle(), kOpcodesBetween, &Check::interrupts, this);
  }

  bool is_brokers() {
    return db_.execAndGet(
                  "SELECT count(*) FROM sqlite_schema WHERE name IN ('broker', 'event', "
                  "'snapshot')")
               .getInt() == 3;
  }
  void read_head();
  void pages_of_tables(bool history);
  void chain();
  void snapshot();
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
  void next_event(const EventRow& row, bool sound);

  std::string path_;
  int64_t until_ms_;
  SQLite::Database db_;
  std::optional<std::string> found_;
  std::optional<Instant> last_event_;
  int64_t head_event_ = 0;
  std::optional<EventRow> before_;
};

void Check::read_head() {
  SQLite::Statement head(db_, "SELECT now_ms, last_event FROM broker");
  if (!head.executeStep()) return;
  last_event_ = Instant{head.getColumn(0).getInt64()};
  head_event_ = head.getColumn(1).getInt64();
  const int64_t newest = db_.execAndGet("SELECT ifnull(max(id), 0) FROM event").getInt64();
  if (newest == head_event_) return;
  note("its last event is " + std::to_string(newest) + ", it should be " +
       std::to_string(head_event_));
}

void Check::pages_of_tables(bool history) {
  SQLite::Statement names(db_,
                          "SELECT name FROM sqlite_schema WHERE type = 'table' AND "
                          "(name IN ('event', 'snapshot')) = ? ORDER BY name");
  names.bind(1, history ? 1 : 0);
  while (!found_ && names.executeStep()) {
    const std::string table = names.getColumn(0).getString();
    if (table.rfind("sqlite_", 0) == 0 || table.find('\'') != std::string::npos) continue;
    SQLite::Statement pages(db_, "PRAGMA quick_check('" + table + "')");
    if (!pages.executeStep()) continue;
    const std::string said = pages.getColumn(0).getString();
    if (said != "ok") note("table " + table + ": " + said);
  }
}

void Check::next_event(const EventRow& row, bool sound) {
  const std::string place = "event " + std::to_string(row.id);
  if (!sound) return note(place + " holds what is never written");
  if (before_ && row.id != before_->id + 1)
    return note("the event before " + place + " is missing");
  const Hash previous = before_ ? before_->hash : Hash{};
  if ((before_ || row.id == 1) && chain_hash(previous, row) != row.hash) {
    note("the hash of " + place + " is not that of its row");
  }
}

void Check::chain() {
  SQLite::Statement rows(
      db_, std::string("SELECT ") + kEventColumns + " FROM event WHERE id > ? ORDER BY id");
  rows.bind(1, head_event_ - kTailEvents);
  EventRow row;
  while (!found_ && rows.executeStep()) {
    const bool sound = read_row(rows, row);
    next_event(row, sound);
    before_ = row;
  }
}

void Check::snapshot() {
  SQLite::Statement newest(db_,
                           "SELECT s.event_id, s.state, e.payload FROM snapshot s LEFT JOIN "
                           "event e ON e.id = s.event_id ORDER BY s.event_id DESC LIMIT 1");
  if (!newest.executeStep()) return;
  const SQLite::Column state = newest.getColumn(1);
  const Hash digest =
      hash_of({static_cast<const char*>(state.getBlob()), static_cast<size_t>(state.getBytes())});
  const SQLite::Column kept = newest.getColumn(2);
  const std::string_view said{static_cast<const char*>(kept.getBlob()),
                              static_cast<size_t>(kept.getBytes())};
  if (said == std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size())) return;
  note("the snapshot of event " + newest.getColumn(0).getString() + " has another digest");
}

Result<CheckedDatabase> run(const std::string& path, int64_t budget_ms) {
  Check check(path, budget_ms);
  CheckedDatabase checked;
  try {
    const SQLite::Transaction one_view(check.db());
    if (!check.is_brokers()) return checked;
    check.pages_of_tables(false);
    check.read_head();
    checked.last_event = check.last_event();
    check.chain();
    check.snapshot();
    checked.all = !check.is_large() && !check.time_is_up();
    if (checked.all) check.pages_of_tables(true);
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
