// Damage that a start finds: bytes flipped in pages, in rows, in the ledger.
#include "broker/store/sqlite/database_check.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/recorded_site.hpp"
#include "tests/support/tampered_log.hpp"

using namespace leasehold;
using namespace leasehold::test;
using Catch::Contains;

namespace {

constexpr int64_t kBudgetMs = 60'000;

/// Makes a database with a history, and closes it.
std::string recorded_file(const TempDir& dir) {
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

std::string ledger_said(const std::string& path) {
  auto store = open_store(path);
  const Status sound = check_ledger(path, load(*store));
  return sound ? "" : sound.error().message;
}

}  // namespace

TEST_CASE("a sound database is whole, and its last event known") {
  const TempDir dir;
  const std::string path = recorded_file(dir);
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
  const std::string path = recorded_file(dir);
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
  // Pages without content, and indexes, may be damaged unnoticed: nothing is decided by them.
  CHECK(found + 3 >= pages);
}

TEST_CASE("a changed row of the log is found by its hash") {
  for (const char* change :
       {"UPDATE log SET epoch = 7 WHERE first_event = (SELECT max(first_event) FROM log)",
        "DELETE FROM log WHERE first_event = (SELECT max(first_event) FROM log WHERE first_event < "
        "(SELECT max(first_event) - 3 FROM log))",
        "UPDATE log SET body = x'00' WHERE first_event = 1",
        "UPDATE log SET hash = x'00' WHERE first_event < 5"}) {
    const TempDir dir;
    const std::string path = recorded_file(dir);
    tamper(path, change);
    INFO(change);
    CHECK_THAT(said(path), Contains("is damaged") && Contains("not served") && Contains("backup") &&
                               Contains("event"));
  }
}

TEST_CASE("a base of other bytes is found, and one that is missing where the log begins with it") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  {
    RecordedSite site(path, one_pool(2, 4), OpenMode::broker,
                      StoreOptions{Retention{int64_t{24} * 3'600'000, 0}, {}, {}});
    site.begin();
    site.flip_to_and_fro(300);
  }
  CHECK(said(path).empty());
  for (const char* change :
       {"UPDATE base SET body = CAST(body || 'x' AS BLOB)", "DELETE FROM base"}) {
    INFO(change);
    std::filesystem::copy_file(path, dir.file("copy.db"),
                               std::filesystem::copy_options::overwrite_existing);
    tamper(dir.file("copy.db"), change);
    CHECK_THAT(said(dir.file("copy.db")), Contains("is damaged") && Contains("begins with"));
  }
}

TEST_CASE("a ledger that was forged does not add up, although the chain was made anew") {
  const TempDir dir;
  const std::string path = recorded_file(dir);
  CHECK(ledger_said(path).empty());
  // These are positions of broker/record/images/images.cpp and state_fields.hpp.
  constexpr size_t kGroups = 8;
  forge_rows(path, [](LogRow& row) {
    using Json = nlohmann::json;
    Json body = Json::from_msgpack(row.body);
    Json images = Json::from_msgpack(body[3].get_binary());
    for (Json& group : images[kGroups]) {
      for (Json& host : group[1][14]) host[1] = host[1].get<int64_t>() + 64;  // exported
    }
    body[3] = Json::binary(Json::to_msgpack(images));
    const auto packed = Json::to_msgpack(body);
    row.body.assign(packed.begin(), packed.end());
  });
  CHECK(said(path).empty());
  CHECK_THAT(ledger_said(path), Contains("is damaged"));
}

TEST_CASE("a check without time says that it has not read all") {
  const TempDir dir;
  const auto checked = check_database(recorded_file(dir), -1);
  REQUIRE(checked);
  CHECK_FALSE(checked->all);
}
