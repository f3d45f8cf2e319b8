// Schema versions: an older one is brought up, a newer one and a stranger's file are left alone.
#include "broker/store/sqlite/migrations.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <vector>

#include "broker/record/history_snapshot.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

int version(const std::string& path) {
  SQLite::Database db(path, SQLite::OPEN_READONLY);
  return db.execAndGet("PRAGMA user_version").getInt();
}

/// The built-in steps and one that only these tests have.
std::vector<Migration> with_one_more(const char* sql) {
  const auto known = built_in_migrations();
  std::vector<Migration> steps(known.begin(), known.end());
  steps.push_back({static_cast<int>(steps.size()) + 1, "later", sql});
  return steps;
}

StoreOptions with(std::span<const Migration> steps) {
  return {{}, {}, steps};
}

}  // namespace

TEST_CASE("migrations are numbered without gaps") {
  int expected = 1;
  for (const Migration& step : built_in_migrations()) CHECK(step.version == expected++);
  CHECK(expected > 3);
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
  const auto steps = with_one_more("ALTER TABLE cluster ADD COLUMN site TEXT NOT NULL DEFAULT 'x'");
  auto store = open_store(path, OpenMode::broker, with(steps));
  CHECK(version(path) == before + 1);
  CHECK(state_digest(load(*store)) == digest);
  CHECK(store->database().execAndGet("SELECT min(site) FROM cluster").getString() == "x");
  CHECK(store->database().execAndGet("SELECT count(*) FROM migration").getInt() == before + 1);
}

TEST_CASE("a database of the very first schema is migrated") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  {
    SQLite::Database db(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    REQUIRE(migrate(db, built_in_migrations().first(1)).has_value());
  }
  CHECK(version(path) == 1);
  auto store = open_store(path);
  CHECK(load(*store).slot_groups.empty());
  CHECK(version(path) == static_cast<int>(built_in_migrations().size()));
}

TEST_CASE(
    "what lay with a plan's provider is to be fenced once its agent is heard, of old databases") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  SQLite::Database db(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  REQUIRE(migrate(db, built_in_migrations().first(5)).has_value());
  for (const char* plan : {"1, NULL", "2, 0"}) {  // a lease's slot group, and a plan's
    db.exec(std::string("INSERT INTO slot_group (generation, plan, grid, members, hosts, phase, "
                        "reason, epoch, since_ms, flips, number_0, number_1, number_2, number_3, "
                        "number_4, number_5, quarantined) VALUES (") +
            plan + ", 0, 2, 2, 'active', 'none', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)");
  }
  for (const char* row : {"1, 0", "2, 0", "2, 1"}) {
    db.exec(std::string("INSERT INTO group_host (generation, number, host, exported, target, "
                        "in_transfer) VALUES (") +
            row + ", 0, 8, 8, 0)");
  }
  // generation, host, member, held, due
  for (const char* row : {"1, 0, 0, 7, 0", "2, 0, 0, 7, 3", "2, 0, 1, 1, 1", "2, 1, 0, 2, 4"}) {
    db.exec(
        std::string("INSERT INTO holding (generation, host, member, held, due, ordered, stated, "
                    "used, up) VALUES (") +
        row + ", 0, 0, 0, 1)");
  }
  REQUIRE(migrate(db, built_in_migrations()).has_value());
  const auto just_exported = [&db](const char* where) {
    return db.execAndGet(std::string("SELECT just_exported FROM group_host WHERE ") + where)
        .getInt();
  };
  CHECK(just_exported("generation = 1") == 0);
  CHECK(just_exported("generation = 2 AND number = 0") == 4);
  CHECK(just_exported("generation = 2 AND number = 1") == 0);
  CHECK(db.execAndGet("SELECT sum(unallocated) FROM group_host").getInt() == 0);
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
  for (const OpenMode mode : {OpenMode::broker, OpenMode::read_only}) {
    const auto refused = SqliteStore::open(path, mode);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::version);
    CHECK(refused.error().message.find("schema " + std::to_string(known + 1)) != std::string::npos);
    CHECK(refused.error().message.find("up to " + std::to_string(known)) != std::string::npos);
  }
  CHECK(version(path) == known + 1);
}

TEST_CASE("a reader does not migrate: it says who must") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  open_store(path);
  const auto steps = with_one_more("CREATE TABLE later (x)");
  const auto refused = SqliteStore::open(path, OpenMode::read_only, with(steps));
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
