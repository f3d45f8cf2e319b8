#include "broker/store/sqlite/migrations.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

#include "common/check.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

int pragma(SQLite::Database& db, const char* name) {
  return db.execAndGet(std::string("PRAGMA ") + name).getInt();
}

tl::unexpected<Error> too_new(int found, int known) {
  return fail(ErrorCode::version, "the database has schema " + std::to_string(found) +
                                      ", this program knows up to " + std::to_string(known) +
                                      "; use the program that wrote it or a newer one");
}

/// Returns the error for a schema from before the first release, which this program does not read.
tl::unexpected<Error> too_old(int found, int oldest) {
  return fail(ErrorCode::version,
              "the database has schema " + std::to_string(found) +
                  ", which no release had, and this program reads from " + std::to_string(oldest) +
                  " on; it is left as it is: let `database` name a new file, and the agents state "
                  "what they hold; its history can be read by the program that wrote it");
}

/// Returns the schema's version; an Error for a file that is not a broker's database.
Result<int> version_of(SQLite::Database& db) {
  if (pragma(db, "application_id") == kApplicationId) return pragma(db, "user_version");
  if (is_empty(db)) return 0;
  return fail(ErrorCode::refused,
              "this is a SQLite database, but not a broker's; name another file, or a new one");
}

/// Returns the schema's version, where this program can work with it, after migrations perhaps.
Result<int> version_within(SQLite::Database& db, std::span<const Migration> migrations) {
  LEASEHOLD_CHECK(!migrations.empty(), "there is at least one migration");
  const Result<int> found = version_of(db);
  if (!found) return found;
  if (*found > migrations.back().version) return too_new(*found, migrations.back().version);
  const int oldest = migrations.front().version;
  if (*found > 0 && *found < oldest) return too_old(*found, oldest);
  return found;
}

void apply_step(SQLite::Database& db, const Migration& step) {
  db.exec(step.sql);
  SQLite::Statement note(db, "INSERT INTO migration VALUES (?, ?, ?)");
  note.bind(1, step.version);
  note.bind(2, step.name);
  note.bind(3, kVersion);
  note.exec();
}

}  // namespace

bool is_empty(SQLite::Database& db) {
  return db.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
}

Status migrate(SQLite::Database& db, std::span<const Migration> migrations) {
  const Result<int> found = version_within(db, migrations);
  if (!found) return tl::unexpected(found.error());
  const int last = migrations.back().version;
  if (*found == last) return {};
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  db.exec(
      "CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL, "
      "program_version TEXT NOT NULL) STRICT");
  for (const Migration& step : migrations) {
    if (step.version > *found) apply_step(db, step);
  }
  db.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  db.exec("PRAGMA user_version = " + std::to_string(last));
  transaction.commit();
  return {};
}

Status check_can_migrate(SQLite::Database& db, std::span<const Migration> migrations) {
  const Result<int> found = version_within(db, migrations);
  return found ? Status{} : Status(tl::unexpected(found.error()));
}

Status check_schema(SQLite::Database& db, std::span<const Migration> migrations) {
  const Result<int> found = version_within(db, migrations);
  if (!found) return tl::unexpected(found.error());
  const int last = migrations.back().version;
  if (*found == last) return {};
  if (is_empty(db)) {
    return fail(ErrorCode::refused,
                "the file is empty: there is nothing in it to read; name a broker's database, or a "
                "copy of one");
  }
  return fail(ErrorCode::version, "the database has schema " + std::to_string(*found) +
                                      ", this program reads " + std::to_string(last) +
                                      "; start a broker on it (or on a copy) once to migrate it");
}

}  // namespace leasehold
