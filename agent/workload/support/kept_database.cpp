#include "agent/workload/support/kept_database.hpp"

#include <filesystem>

#include "agent/workload/support/kept_row.hpp"
#include "common/files/regular_file.hpp"

namespace leasehold::agent {

namespace {

constexpr int kBusyMs = 5'000;

}  // namespace

Error KeptDatabase::failure(const std::string& what) const {
  return Error{ErrorCode::io, what_ + ": " + what, path_, 0, 0};
}

Error KeptDatabase::damage(const std::string& what) const {
  Error error = failure("it is damaged: " + what + "; put a copy back, or remove it" + if_removed_);
  error.code = ErrorCode::corrupt;
  return error;
}

Status KeptDatabase::prepare(const Schema& schema) {
  SQLite::Database& db = *db_;
  db.exec("pragma journal_mode = wal; pragma synchronous = full");
  // Without a write-ahead log a commit removes a file, which a power failure may undo.
  if (const std::string mode = db.execAndGet("pragma journal_mode").getString(); mode != "wal") {
    return tl::unexpected(failure("it cannot have a write-ahead log here (journal mode stays " +
                                  mode + "); put it on a local file system"));
  }
  const int version = db.execAndGet("pragma user_version").getInt();
  const int newest = static_cast<int>(schema.steps.size());
  if (version > newest) {
    return tl::unexpected(Error{ErrorCode::version,
                                "written by a newer version (schema " + std::to_string(version) +
                                    "; this one knows " + std::to_string(newest) +
                                    "); start that version again, or a newer one",
                                path_, 0, 0});
  }
  if (version == newest) return {};
  SQLite::Transaction transaction(db);
  for (int next = version; next < newest; ++next) db.exec(schema.steps[static_cast<size_t>(next)]);
  if (version == 0 && schema.begin) schema.begin(db);
  db.exec("pragma user_version = " + std::to_string(newest));
  transaction.commit();
  return {};
}

Result<KeptDatabase> KeptDatabase::open(const std::string& path, const Schema& schema,
                                        bool read_only) {
  KeptDatabase kept;
  kept.path_ = path;
  kept.what_ = schema.what;
  kept.if_removed_ = schema.if_removed;
  std::error_code code;
  const bool there = std::filesystem::exists(path, code);
  if (code) return tl::unexpected(kept.failure(code.message()));
  if (read_only && !there) return kept;
  if (Status regular = check_database_file(path); !regular) {
    return tl::unexpected(regular.error());
  }
  const int mode = read_only ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  try {
    kept.db_ = std::make_unique<SQLite::Database>(path, mode, kBusyMs);
    const int version = kept.db_->execAndGet("pragma user_version").getInt();
    if (version < 0) {
      return tl::unexpected(kept.damage("its schema is of version " + std::to_string(version)));
    }
    if (read_only) return kept;
    if (const Status ready = kept.prepare(schema); !ready) return tl::unexpected(ready.error());
  } catch (const SQLite::Exception& error) {
    return tl::unexpected(kept.failure(error.what()));
  }
  return kept;
}

Status KeptDatabase::write(const std::function<void(SQLite::Database&)>& work) {
  if (missing()) return {};
  return run([&](SQLite::Database& db) -> Status {
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    work(db);
    transaction.commit();
    return {};
  });
}

Status KeptDatabase::run(const std::function<Status(SQLite::Database&)>& work) {
  if (missing()) return tl::unexpected(failure("there is no such file"));
  try {
    return work(*db_);
  } catch (const DamagedRow& row) {
    return tl::unexpected(damage(row.what()));
  } catch (const SQLite::Exception& error) {
    return tl::unexpected(failure(error.what()));
  }
}

}  // namespace leasehold::agent
