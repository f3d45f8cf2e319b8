// The readable tables hold what the state and the history hold, and each thing once.
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "tests/unit/follow/followed.hpp"
#include "tests/unit/store/recorded_plan.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("the tables of a played life hold what its state and its history hold") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.batch = 3;
  recorded.begin();
  LogToTables tables(at.options());
  at.catch_up(tables);
  require_same(at.file, at.log, recorded.site.state);
  for (int turn = 0; turn < 6; ++turn) {
    recorded.flip_to_and_fro(turn + 1);
    recorded.busy("east", turn % 2 == 0 ? 4 : 0);  // a transfer may be open
    recorded.commit();
    at.catch_up(tables);
    require_same(at.file, at.log, recorded.site.state);
  }
  CHECK(number_of(at.file, "SELECT count(*) FROM history WHERE kind = 'flip'") > 5);
  const Followed other;
  LogToTables all_at_once(TablesOptions{at.log, other.file});
  at.catch_up(all_at_once);
  require_same(other.file, at.log, recorded.site.state);
}

TEST_CASE("after every commit the tables hold the transfers that are open") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  LogToTables tables(at.options());
  int64_t seen = 0;
  const auto record = recorded.site.recorder;
  recorded.site.recorder = [&](const Event& event, std::span<const Record> records) {
    record(event, records);
    at.catch_up(tables);
    require_same(at.file, at.log, recorded.site.state);
    seen += number_of(at.file, "SELECT count(*) FROM transfer");
  };
  recorded.flip_to_and_fro(4);
  CHECK(seen > 3);
  CHECK(number_of(at.file, "SELECT count(*) FROM transfer") == 0);
}

TEST_CASE("hosts that are forgotten leave the tables too") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  LogToTables tables(at.options());
  const auto tell = [&](const std::vector<std::string>& more) {
    std::vector<wire::HostFacts> hosts = recorded.site.agent("east").hosts;
    for (const std::string& name : more) hosts.emplace_back().name = name;
    recorded.site.step(InventoryReported{"east", recorded.site.agent("east").session, hosts});
    recorded.commit();
    at.catch_up(tables);
    return rows_of(at.file, "SELECT name FROM host WHERE name LIKE 'new-%' ORDER BY name");
  };
  CHECK(tell({"new-a", "new-b", "new-c"}) == Lines{"new-a", "new-b", "new-c"});
  CHECK(tell({"new-b"}) == Lines{"new-b"});
  CHECK(tell({"new-b", "new-d"}) == Lines{"new-b", "new-d"});
  CHECK(tell({}).empty());
  require_same(at.file, at.log, recorded.site.state);
}

TEST_CASE("the tables of a plan's life hold its leases, ledger and consumers") {
  const Followed at;
  RecordedPlan recorded(at.log);
  recorded.begin_plan();
  LogToTables tables(at.options());
  for (const int32_t wanted : {14, 3, 9}) {
    recorded.want("north", wanted);
    recorded.want("east", 16 - wanted);
    recorded.site.pass(60'000);
    recorded.commit();
    at.catch_up(tables);
    require_same(at.file, at.log, recorded.site.state);
  }
  CHECK(number_of(at.file, "SELECT sum(held) FROM ledger WHERE lease LIKE 'compute:%'") > 0);
  CHECK(number_of(at.file, "SELECT count(*) FROM plan_pair") > 0);
}

TEST_CASE("going on after a restart writes no event twice and leaves out none") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  recorded.flip_to_and_fro(3);
  at.catch_up();
  const int64_t seen = number_of(at.file, "SELECT last_event FROM follows");
  {
    SQLite::Database db(at.file, SQLite::OPEN_READWRITE);
    db.exec("CREATE TABLE written (id)");
    db.exec(
        "CREATE TRIGGER noted AFTER INSERT ON event BEGIN "
        "INSERT INTO written VALUES (NEW.id); END");
  }
  at.catch_up();
  CHECK(number_of(at.file, "SELECT count(*) FROM written") == 0);
  recorded.restart();
  recorded.connect();
  recorded.flip_to_and_fro(3);
  at.catch_up();
  require_same(at.file, at.log, recorded.site.state);
  CHECK(number_of(at.file, "SELECT min(id) FROM written") == seen + 1);
  CHECK(number_of(at.file, "SELECT count(*) FROM written") ==
        number_of(at.file, "SELECT last_event FROM follows") - seen);
}

TEST_CASE("events that retention removed from the log leave the tables too") {
  const Followed at;
  constexpr int64_t kHour = 3'600'000;
  RecordedSite recorded(at.log, one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{8 * kHour, 0}, {}, {}});
  recorded.begin();
  LogToTables tables(at.options());
  for (int hours = 0; hours < 36; hours += 2) {  // retention removes no rows that are still read
    recorded.flip_to_and_fro(12);
    at.catch_up(tables);
    require_same(at.file, at.log, recorded.site.state);
  }
  SECTION("and retention may be faster than who reads") {
    recorded.flip_to_and_fro(144);
    at.catch_up(tables);
    require_same(at.file, at.log, recorded.site.state);
  }
  const int64_t first = number_of(at.log, "SELECT min(first_event) FROM log");
  CHECK(first > 100);
  CHECK(number_of(at.file, "SELECT min(id) FROM event") == first);
  REQUIRE(std::filesystem::remove(at.file));
  at.catch_up();  // it begins at a base
  require_same(at.file, at.log, recorded.site.state);
}

TEST_CASE("a log whose last row a base follows is read and gone on from") {
  const Followed at;
  constexpr int64_t kHour = 3'600'000;
  RecordedSite recorded(at.log, one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{48 * kHour, 0}, {}, {}});
  recorded.begin();
  recorded.batch = 1000;  // everything until commit() is one commit
  const auto base_is_last = [&] {
    return number_of(at.log,
                     "SELECT ifnull(max(last_event), 0) >= (SELECT max(first_event) FROM log) "
                     "FROM base") == 1;
  };
  for (int tries = 0; tries < 200 && !base_is_last(); ++tries) {
    recorded.flip_to_and_fro(2);
  }
  REQUIRE(base_is_last());
  at.catch_up();
  at.catch_up();
  recorded.restart();
  recorded.connect();
  at.catch_up();
  require_same(at.file, at.log, recorded.site.state);
}

TEST_CASE("whoever may read the log may read the tables, and nobody else") {
  for (const mode_t mode : {0600U, 0640U, 0644U}) {
    const Followed at;
    RecordedSite recorded(at.log);
    recorded.begin();
    REQUIRE(::chmod(at.log.c_str(), mode) == 0);
    at.catch_up();
    struct stat found {};
    REQUIRE(::stat(at.file.c_str(), &found) == 0);
    CHECK((found.st_mode & 0777U) == mode);
  }
}
