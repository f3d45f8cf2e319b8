// Schema versions: an older database is migrated, a newer one and another program's file are not
// touched.
#include "broker/store/sqlite/migrations.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <vector>

#include "broker/store/sqlite/log.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/state_digest.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

int version(const std::string& path) {
  SQLite::Database db(path, SQLite::OPEN_READONLY);
  return db.execAndGet("PRAGMA user_version").getInt();
}

/// Returns the built-in steps and one that only these tests have.
std::vector<Migration> with_one_more(const char* sql) {
  const auto known = built_in_migrations();
  std::vector<Migration> steps(known.begin(), known.end());
  steps.push_back({steps.back().version + 1, "later", sql});
  return steps;
}

StoreOptions with(std::span<const Migration> steps) {
  return {{}, {}, steps};
}

}  // namespace

TEST_CASE("migrations are numbered without gaps") {
  int expected = 10;  // no release had earlier ones
  for (const Migration& step : built_in_migrations()) CHECK(step.version == expected++);
  CHECK(expected > 10);
}

TEST_CASE("a database with history and leases of an older schema is migrated and keeps them") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  Hash digest;
  {
    RecordedSite recorded(path);
    recorded.begin();
    recorded.flip_to_and_fro(2);
    digest = state_digest(recorded.site.state);
  }
  const int before = version(path);
  const auto steps = with_one_more("CREATE TABLE site AS SELECT 'x' AS name");
  auto store = open_store(path, OpenMode::broker, with(steps));
  CHECK(version(path) == before + 1);
  CHECK(state_digest(load(*store)) == digest);
  CHECK(store->database().execAndGet("SELECT min(name) FROM site").getString() == "x");
  CHECK(store->database().execAndGet("SELECT count(*) FROM migration").getInt() == 2);
}

TEST_CASE("a database of before the first release is refused by name, and left as it is") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  {
    SQLite::Database db(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    db.exec("CREATE TABLE event (id INTEGER PRIMARY KEY); PRAGMA user_version = 9");
    db.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  }
  const auto bytes = std::filesystem::file_size(path);
  for (const Error& refused : refusals(path)) {
    CHECK(refused.code == ErrorCode::version);
    CHECK(refused.message.find("schema 9") != std::string::npos);
    CHECK(refused.message.find("new file") != std::string::npos);
    CHECK(refused.file == path);
  }
  CHECK(version(path) == 9);
  CHECK(std::filesystem::file_size(path) == bytes);
}

TEST_CASE("a migration that fails half-way leaves the older schema as it was") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  open_store(path);
  const int before = version(path);
  const auto steps =
      with_one_more("CREATE TABLE half (x); INSERT INTO there_is_no_such_table VALUES (1)");
  CHECK_FALSE(SqliteStore::open(path, OpenMode::broker, with(steps)).has_value());
  CHECK(version(path) == before);
  auto store = open_store(path);
  CHECK_FALSE(store->database().tableExists("half"));
}

TEST_CASE("a database of a newer schema is refused and not touched") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  const auto steps = with_one_more("CREATE TABLE later (x)");
  const int known = steps.back().version - 1;
  open_store(path, OpenMode::broker, with(steps));
  for (const Error& refused : refusals(path)) {
    CHECK(refused.code == ErrorCode::version);
    CHECK(refused.message.find("schema " + std::to_string(known + 1)) != std::string::npos);
    CHECK(refused.message.find("up to " + std::to_string(known)) != std::string::npos);
  }
  CHECK(version(path) == known + 1);
}

TEST_CASE("a reader does not migrate: it says who must") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  open_store(path);
  const auto steps = with_one_more("CREATE TABLE later (x)");
  const auto refused = SqliteLog::open(path, steps);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::version);
  CHECK(refused.error().message.find("start a broker") != std::string::npos);
}

TEST_CASE("another program's database is refused and not touched") {
  const TempDir dir;
  const std::string path = dir.file("other.db");
  {
    SQLite::Database db(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    db.exec("CREATE TABLE theirs (x)");
  }
  const auto refused = SqliteStore::open(path, OpenMode::broker);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::refused);
  SQLite::Database db(path, SQLite::OPEN_READONLY);
  CHECK(db.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 1);
}
