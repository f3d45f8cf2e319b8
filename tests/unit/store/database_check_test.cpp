// Damage that a start finds: bytes flipped in pages, in rows, in the ledger.
#include "broker/store/sqlite/database_check.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;
using Catch::Contains;

namespace {

constexpr int64_t kBudgetMs = 60'000;

/// A database with a history, closed.
std::string recorded(const TempDir& dir) {
  const std::string path = dir.file("broker.db");
  RecordedSite site(path);
  site.begin();
  site.flip_to_and_fro(20);
  return path;
}

std::string said(const std::string& path) {
  const auto checked = check_database(path, kBudgetMs);
  if (!checked) CHECK(checked.error().code == ErrorCode::corrupt);
  return checked ? "" : checked.error().message;
}

void tamper(const std::string& path, const std::string& sql) {
  SQLite::Database db(path, SQLite::OPEN_READWRITE);
  db.exec("DROP TRIGGER event_is_final; DROP TRIGGER event_is_kept;");
  db.exec(sql);
}

std::string ledger_said(const std::string& path) {
  auto store = open_store(path);
  const Status sound = check_ledger(path, load(*store));
  return sound ? "" : sound.error().message;
}

}  // namespace

TEST_CASE("a sound database is whole, and its last event known") {
  const TempDir dir;
  const std::string path = recorded(dir);
  const auto checked = check_database(path, kBudgetMs);
  REQUIRE(checked);
  CHECK(checked->all);
  auto store = open_store(path);
  CHECK(checked->last_event == load(*store).now);
  CHECK(check_ledger(path, load(*store)));
  CHECK(last_write_of(path).has_value());
}

TEST_CASE("what is no broker's database yet, or not there, is not for this check") {
  const TempDir dir;
  CHECK(said(dir.file("nothing.db")).empty());
  CHECK_FALSE(last_write_of(dir.file("nothing.db")).has_value());
  SQLite::Database(dir.file("other.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE other (a)");
  CHECK(said(dir.file("other.db")).empty());
}

TEST_CASE("every page of a database that is overwritten with other bytes is found") {
  const TempDir dir;
  const std::string path = recorded(dir);
  std::ifstream file(path, std::ios::binary);
  const std::string sound((std::istreambuf_iterator<char>(file)), {});
  const size_t pages = sound.size() / 4096;
  REQUIRE(pages > 10);
  size_t found = 0;
  for (size_t page = 0; page < pages; ++page) {
    std::string bytes = sound;
    for (size_t i = 0; i < 4096; ++i) bytes[page * 4096 + i] = static_cast<char>(i * 7 + page);
    std::ofstream(path, std::ios::binary) << bytes;
    const auto checked = check_database(path, kBudgetMs);
    found += checked ? 0 : 1;
  }
  // Pages that hold nothing may hold anything, and so may indexes, which decide nothing.
  CHECK(found + 3 >= pages);
}

TEST_CASE("a changed row of the history's tail is found by its hash") {
  for (const char* change : {"UPDATE event SET slots = 7 WHERE id = (SELECT max(id) FROM event)",
                             "UPDATE event SET reason = 'tie' WHERE kind = 'flip'",
                             "DELETE FROM event WHERE id = (SELECT max(id) - 3 FROM event)",
                             "UPDATE event SET payload = x'00' WHERE id = 1",
                             "UPDATE event SET hash = x'00' WHERE id = 5"}) {
    const TempDir dir;
    const std::string path = recorded(dir);
    tamper(path, change);
    INFO(change);
    CHECK_THAT(said(path), Contains("is damaged") && Contains("not served") && Contains("backup") &&
                               Contains("event"));
  }
}

TEST_CASE("a last event that is missing, and a snapshot of other bytes, are found") {
  const TempDir dir;
  const std::string path = recorded(dir);
  tamper(path, "DELETE FROM event WHERE id = (SELECT max(id) FROM event)");
  CHECK_THAT(said(path), Contains("its last event is"));
}

TEST_CASE("a ledger whose bytes were flipped does not add up") {
  const TempDir dir;
  const std::string path = recorded(dir);
  CHECK(ledger_said(path).empty());
  for (const char* change : {"UPDATE holding SET held = held + 1 WHERE member = 1",
                             "UPDATE group_host SET exported = exported + 64",
                             "UPDATE group_host SET in_transfer = -1"}) {
    INFO(change);
    std::filesystem::copy_file(path, dir.file("copy.db"),
                               std::filesystem::copy_options::overwrite_existing);
    SQLite::Database(dir.file("copy.db"), SQLite::OPEN_READWRITE).exec(change);
    CHECK_THAT(ledger_said(dir.file("copy.db")), Contains("is damaged"));
  }
}

TEST_CASE("a check without time says that it has not read all") {
  const TempDir dir;
  const auto checked = check_database(recorded(dir), -1);
  REQUIRE(checked);
  CHECK_FALSE(checked->all);
}
