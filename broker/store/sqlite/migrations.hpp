// Migrations: the steps from an empty file to the schema this program works with (schema/sql).
// Forward only. Not a query builder: the SQL stands in the files, built in at compile time.
#pragma once

#include <span>

#include "common/result.hpp"

namespace SQLite {
class Database;
}

namespace leasehold {

struct Migration {
  int version = 0;  // consecutive, from 10; versions below were never released
  const char* name = "";
  const char* sql = "";
};

/// Returns those of schema/sql, in order.
std::span<const Migration> built_in_migrations();

/// "LSHD": tells a broker's database from any other SQLite file.
inline constexpr int kApplicationId = 0x4C534844;

/// True if the database has no tables: the file is new, or was emptied.
bool is_empty(SQLite::Database& db);

/// Brings `db` up to the last of `migrations`, all missing steps in one transaction. Refuses a file
/// of another program and a schema newer than the last migration; changes nothing then.
Status migrate(SQLite::Database& db, std::span<const Migration> migrations);

/// Checks that migrate() would take it. Changes nothing.
Status check_can_migrate(SQLite::Database& db, std::span<const Migration> migrations);

/// For a connection that may not write: ok only if the schema is exactly the last migration's.
Status check_schema(SQLite::Database& db, std::span<const Migration> migrations);

}  // namespace leasehold
