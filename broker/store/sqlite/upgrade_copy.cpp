#include "broker/store/sqlite/upgrade_copy.hpp"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <filesystem>

#include "broker/store/sqlite/migrations.hpp"
#include "broker/store/sqlite/open.hpp"
#include "broker/store/sqlite/statements.hpp"
#include "common/files/durable.hpp"
#include "common/files/regular_file.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

/// The room left to the broker's own work; below it no readable tables are made (broker/daemon).
constexpr int64_t kLeaveFreeBytes = int64_t{256} << 20U;
constexpr int kPagesAtOnce = 16'384;

/// The newest row: the version that wrote it, and its first event.
struct Newest {
  int core_version = 0;
  int64_t first_event = 0;
  bool operator==(const Newest&) const = default;
};

std::optional<Newest> newest(SQLite::Database& db) {
  const int application = db.execAndGet("PRAGMA application_id").getInt();
  if (application != kApplicationId || !db.tableExists("log")) return std::nullopt;
  SQLite::Statement last(
      db, "SELECT core_version, first_event FROM log ORDER BY first_event DESC LIMIT 1");
  if (!last.executeStep()) return std::nullopt;
  return Newest{last.getColumn(0).getInt(), last.getColumn(1).getInt64()};
}

bool is_own(SQLite::Database& db, const Newest& row) {
  const int schema = db.execAndGet("PRAGMA user_version").getInt();
  return row.core_version == kCoreVersion && schema == built_in_migrations().back().version;
}

/// True if the copy is of that row, not one left of an earlier upgrade.
bool is_there(const std::string& copy, const Newest& row) {
  if (!std::filesystem::exists(copy) || !check_database_file(copy)) return false;
  try {
    SQLite::Database db(copy, SQLite::OPEN_READONLY, kBusyTimeoutMs);
    return newest(db) == row;
  } catch (const SQLite::Exception&) {
    return false;  // it is made again
  }
}

Status check_room(const std::string& database, int64_t bytes) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(database).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error) return {};
  const auto free = static_cast<int64_t>(space.available);
  if (free - bytes >= kLeaveFreeBytes) return {};
  return fail(ErrorCode::refused,
              "another release wrote this database; before it is changed a copy of " +
                  std::to_string(bytes >> 20U) + " MiB is kept, and 256 MiB must stay free: " +
                  std::to_string(free >> 20U) + " MiB are free. Make room in " + folder.string() +
                  ", or start once with --without-copy");
}

/// Makes the copy durable, and gives it its name, before anything else is written.
Status keep_durably(const std::string& part, const std::string& copy) {
  Status kept = make_durable(part);
  if (kept) kept = rename_durably(part, copy);
  if (kept) return {};
  return fail(ErrorCode::io, "cannot keep the copy " + copy + ": " + kept.error().message);
}

class RemovedAtEnd {
 public:
  explicit RemovedAtEnd(std::string path) : path_(std::move(path)) {}
  RemovedAtEnd(const RemovedAtEnd&) = delete;
  RemovedAtEnd& operator=(const RemovedAtEnd&) = delete;
  ~RemovedAtEnd() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

 private:
  const std::string path_;
};

Status copy_to(SQLite::Database& db, const std::string& copy) {
  const std::string part = copy + ".part";
  const RemovedAtEnd leftover(part);  // of a copy that failed: the room is needed
  std::filesystem::remove(part);
  int code = SQLITE_OK;
  {
    SQLite::Database to(part, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup backup(to, db);
    while (code == SQLITE_OK) code = backup.executeStep(kPagesAtOnce);
  }
  if (code == SQLITE_DONE) return keep_durably(part, copy);
  return fail(ErrorCode::io,
              "cannot keep the copy " + copy + ": another program has the database locked");
}

}  // namespace

Result<std::optional<UpgradeCopy>> keep_upgrade_copy(const std::string& database) {
  std::error_code error;
  if (!std::filesystem::exists(database, error)) return std::nullopt;
  if (Status regular = check_database_file(database); !regular) {
    return tl::unexpected(regular.error());
  }
  try {
    SQLite::Database db(database, SQLite::OPEN_READONLY, kBusyTimeoutMs);
    const std::optional<Newest> row = newest(db);
    if (!row || is_own(db, *row)) return std::nullopt;
    UpgradeCopy copy{database + ".core-" + std::to_string(row->core_version), 0};
    if (is_there(copy.path, *row)) return std::nullopt;
    copy.bytes = db.execAndGet("PRAGMA page_count").getInt64() *
                 db.execAndGet("PRAGMA page_size").getInt64();
    if (Status room = check_room(database, copy.bytes); !room) return tl::unexpected(room.error());
    if (Status kept = copy_to(db, copy.path); !kept) return tl::unexpected(kept.error());
    return copy;
  } catch (const SQLite::Exception& failed) {
    return opening_error(database, FileUse::write, failed);
  } catch (const std::filesystem::filesystem_error& failed) {
    return fail(ErrorCode::io, failed.what());
  }
}

}  // namespace leasehold
