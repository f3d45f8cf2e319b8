// The readable tables hold what the state and the history hold, and each thing once.
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "common/time/clock.hpp"
#include "tests/unit/follow/followed.hpp"
#include "tests/unit/store/recorded_plan.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("the tables of a played life hold what its state and its history hold") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.batch = 3;
  recorded.begin();
  at.make();
  require_same(at.file, at.log, recorded.site.state);
  for (int turn = 0; turn < 6; ++turn) {
    recorded.flip_to_and_fro(turn + 1);
    recorded.busy("east", turn % 2 == 0 ? 4 : 0);  // a transfer may be open
    recorded.commit();
    at.make();
    require_same(at.file, at.log, recorded.site.state);
  }
  CHECK(number_of(at.file, "SELECT count(*) FROM history WHERE kind = 'flip'") > 5);
}

TEST_CASE("after every commit the tables hold the transfers that are open") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  int64_t seen = 0;
  const auto record = recorded.site.recorder;
  recorded.site.recorder = [&](const Event& event, std::span<const Record> records) {
    record(event, records);
    at.make();
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
  const auto tell = [&](const std::vector<std::string>& more) {
    std::vector<wire::HostFacts> hosts = recorded.site.agent("east").hosts;
    for (const std::string& name : more) hosts.emplace_back().name = name;
    recorded.site.step(InventoryReported{"east", recorded.site.agent("east").session, hosts});
    recorded.commit();
    at.make();
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
  for (const int32_t wanted : {14, 3, 9}) {
    recorded.want("north", wanted);
    recorded.want("east", 16 - wanted);
    recorded.site.pass(60'000);
    recorded.commit();
    at.make();
    require_same(at.file, at.log, recorded.site.state);
  }
  CHECK(number_of(at.file, "SELECT sum(held) FROM ledger WHERE lease LIKE 'compute:%'") > 0);
  CHECK(number_of(at.file, "SELECT count(*) FROM plan_pair") > 0);
}

TEST_CASE("events that retention removed from the log leave the tables too") {
  const Followed at;
  constexpr int64_t kHour = 3'600'000;
  RecordedSite recorded(at.log, one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{8 * kHour, 0}, {}, {}});
  recorded.begin();
  recorded.flip_to_and_fro(216);
  at.make();
  require_same(at.file, at.log, recorded.site.state);
  const int64_t first = number_of(at.log, "SELECT min(first_event) FROM log");
  CHECK(first > 100);
  CHECK(number_of(at.file, "SELECT min(id) FROM event") == first);
  SECTION("also those that it removes while they are read") {
    bool removed = false;
    const auto flip = [&](int64_t, int64_t) {
      if (!std::exchange(removed, true)) recorded.flip_to_and_fro(144);
      return true;
    };
    const auto made = make_tables({at.log, "", 0, flip});
    INFO((made ? "" : describe(made.error())));
    REQUIRE(made.has_value());
    require_same(at.file, at.log, recorded.site.state);
    CHECK(number_of(at.file, "SELECT min(id) FROM event") > first);
  }
}

TEST_CASE("a log whose last row a base follows is read") {
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
  at.make();
  require_same(at.file, at.log, recorded.site.state);
  recorded.restart();
  recorded.connect();
  at.make();
  require_same(at.file, at.log, recorded.site.state);
}

TEST_CASE("whoever may read the log may read the tables, and nobody else") {
  for (const mode_t mode : {0600U, 0640U, 0644U}) {
    const Followed at;
    RecordedSite recorded(at.log);
    recorded.begin();
    REQUIRE(::chmod(at.log.c_str(), mode) == 0);
    at.make();
    struct stat found {};
    REQUIRE(::stat(at.file.c_str(), &found) == 0);
    CHECK((found.st_mode & 0777U) == mode);
  }
}

TEST_CASE("the tables say how old they are") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  const Instant before = wall_time();
  const MadeTables made = at.make();
  CHECK(made.made >= before);
  CHECK(rows_of(at.file, "SELECT made, seconds >= 0 AND seconds < 3600, last_event FROM age") ==
        Lines{line(format_utc(made.made), 1, recorded.store->last_event())});
}
