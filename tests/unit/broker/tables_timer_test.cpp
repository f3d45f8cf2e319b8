// The broker's timer makes the readable tables, tells when it cannot, and makes none where nobody
// has any.
#include "broker/daemon/tables_timer.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/clock.hpp"
#include "tests/support/last_bound.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

bool becomes(const std::function<bool()>& so) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kLastBoundMs);
  while (std::chrono::steady_clock::now() < until) {
    if (so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

struct Tables {
  Tables() { recorded.begin(); }
  TablesTimer::Options often() const { return {log, file, 1, 0}; }
  int64_t last_event() const {
    try {
      SQLite::Database db(file, SQLite::OPEN_READONLY);
      return db.execAndGet("SELECT last_event FROM follows").getInt64();
    } catch (const SQLite::Exception&) {
      return -1;
    }
  }
  bool at_the_end() const { return last_event() == recorded.store->last_event(); }

  TempDir dir;
  const std::string log = dir.file("broker.db");
  const std::string file = state_file_of(log);
  RecordedSite recorded{log};
};

DaemonConfig config_with(const std::string& database, const std::string& tables = "",
                         const std::string& readable_tables = "") {
  DaemonConfig daemon;
  daemon.database = database;
  daemon.tables = tables;
  daemon.readable_tables = readable_tables;
  return daemon;
}

}  // namespace

TEST_CASE("tables are made at once where there are none, and again and again") {
  Tables tables;
  const TablesTimer timer(tables.often());
  for (int i = 0; i < 3; ++i) {
    CHECK(becomes([&] { return tables.at_the_end(); }));
    tables.recorded.flip_to_and_fro(2);
    tables.recorded.commit();
  }
  CHECK(becomes([&] { return timer.standing()->made.has_value(); }));
  CHECK(timer.standing()->file == tables.file);
  CHECK(timer.standing()->failing.empty());
}

TEST_CASE("a file that is younger than its time is left until then") {
  Tables tables;
  REQUIRE(make_tables({tables.log, ""}));
  const Instant before = wall_time();
  TablesTimer::Options seldom = tables.often();
  seldom.every_ms = 86'400'000;
  const TablesTimer timer(seldom);
  REQUIRE(timer.standing()->made.has_value());
  CHECK(*timer.standing()->made <= before);
}

TEST_CASE("that tables cannot be made is told until they can") {
  Tables tables;
  std::filesystem::create_directory(tables.file);
  const TablesTimer timer(tables.often());
  REQUIRE(becomes([&] { return !timer.standing()->failing.empty(); }));
  CHECK_THAT(timer.standing()->failing, Catch::Contains(tables.file));
  CHECK(timer.standing()->failing_since.ms > 0);
  std::filesystem::remove(tables.file);
  CHECK(becomes([&] { return timer.standing()->failing.empty(); }));
  CHECK(becomes([&] { return tables.at_the_end(); }));
}

TEST_CASE("where little is free the old tables stay, and that is told") {
  Tables tables;
  REQUIRE(make_tables({tables.log, ""}));
  const int64_t before = tables.last_event();
  tables.recorded.flip_to_and_fro(2);
  TablesTimer::Options options = tables.often();
  options.least_free_bytes = INT64_MAX;
  const TablesTimer timer(options);
  REQUIRE(becomes([&] { return !timer.standing()->failing.empty(); }));
  CHECK_THAT(timer.standing()->failing, Catch::Contains("MiB are free"));
  CHECK(tables.last_event() == before);
}

TEST_CASE("a broker makes tables where they stand, or where its configuration says so") {
  const TempDir dir;
  const std::string log = dir.file("broker.db");
  const std::string server = "postgresql://hub/leasehold";
  CHECK_FALSE(tables_to_make(config_with(log)));
  CHECK_FALSE(tables_to_make(config_with(log, "off")));
  CHECK(tables_to_make(config_with(log, "5s"))->every_ms == 5'000);
  CHECK(tables_to_make(config_with(log, "5s"))->file == log + ".state");
  std::ofstream(state_file_of(log)) << "of a release before";
  CHECK(tables_to_make(config_with(log))->every_ms == 60'000);
  CHECK_FALSE(tables_to_make(config_with(log, "off")));
  CHECK_FALSE(tables_to_make(config_with(server)));
  CHECK(tables_to_make(config_with(server, "", "t.state"))->every_ms == 60'000);
  CHECK(tables_to_make(config_with(server, "1d", "t.state"))->file == "t.state");
  CHECK_FALSE(tables_to_make(config_with(server, "off", "t.state")));
}
