// The jobs file of the simulated workload manager, forged or damaged.
#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <random>

#include "agent/workload/simulated/simulated.hpp"
#include "agent/workload/support/kept_database.hpp"
#include "tests/unit/agent/core/limits/made_groups.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

struct Time final : TimeSource {
  int64_t boottime_ms() const override { return 1'000'000; }
};

struct Site {
  Site() {
    settings.state = folder.file("jobs.db");
    settings.hosts = {facts("p1", 8)};
    auto workload = open(settings.state);
    REQUIRE(workload);
    REQUIRE((*workload)->enforce(
        std::vector<HostCap>{{"p1", false, 5, 2, 0, 0, {{7, 0, 3, 6}}, 0},
                             {"q1@west", true, 2, 0, 0, 0, {{9, 0, 2, 0}}, 1'000}}));
    change(
        "insert into job values (1, 'running', 0, 60000, 2, 10), (2, 'queued', 20, 60000, 1, null);"
        "insert into job_slots values (1, 'p1', 2)");
  }
  Result<std::unique_ptr<Workload>> open(const std::string& path) {
    SimulatedSettings of = settings;
    of.state = path;
    return open_simulated(
        of, [] { return int64_t{1'000'000}; }, false, time);
  }
  void change(const std::string& sql) const {
    SQLite::Database(settings.state, SQLite::OPEN_READWRITE).exec(sql);
  }

  Scratch folder;
  Time time;
  SimulatedSettings settings;
};

struct Forged {
  const char* sql;
  const char* field;
};

const Forged kForged[] = {
    {"update cap_part set position = 4294967295", "position"},
    {"update cap_part set position = -1", "cap_part.position"},
    {"update cap_part set slots_limit = -1", "cap_part.slots_limit"},
    {"update cap_part set generation = -1", "cap_part.generation"},
    {"update cap_part set host = 'x'", "cap_part.host"},
    {"update cap set slots = 4294967301", "cap.slots"},
    {"update cap set own = -1", "cap.own"},
    {"update cap set grace_ms = 9223372036854775807", "cap.grace_ms"},
    {"update cap set mem_mb = -1", "cap.mem_mb"},
    {"update job set width = 0", "job.width"},
    {"update job set width = 4294967297", "job.width"},
    {"update job set run_ms = 0", "job.run_ms"},
    {"update job set run_ms = 9223372036854775807", "job.run_ms"},
    {"update job set start_ms = 9223372036854775807 where id = 1", "job.start_ms"},
    {"update job set arrival_ms = -9223372036854775807", "job.arrival_ms"},
    {"update job_slots set slots = -2", "job_slots.slots"},
    {"insert into job_slots values (1, 'a', 1000000000), (1, 'b', 1000000000)", "add up"},
    {"update peak set slots_now = 4294967296", "peak.slots_now"},
    {"update fact set number = 9223372036854775807 where key = 'virtual_ms'", "virtual_ms"},
    {"update fact set number = -9223372036854775807 where key = 'wall_ms'", "wall_ms"},
    {"update fact set number = 9223372036854775807 where key = 'arrived'", "arrived"},
    {"update fact set number = 9223372036854775806 where key = 'lease_until_ms'", "lease_until_ms"},
    {"drop table job_slots", "job_slots"},
};

TEST_CASE("a number in a jobs file that cannot be right ended the agent") {
  const auto [sql, field] = GENERATE(from_range(std::begin(kForged), std::end(kForged)));
  INFO(sql);
  Site site;
  site.change(sql);
  const auto opened = site.open(site.settings.state);
  REQUIRE_FALSE(opened);
  CHECK_THAT(describe(opened.error()),
             Catch::StartsWith(site.settings.state) && Catch::Contains(field));
}

TEST_CASE("bytes that were turned over in a jobs file end nothing") {
  Site site;
  site.change("pragma wal_checkpoint(truncate)");
  std::ifstream file(site.settings.state, std::ios::binary);
  const std::string good(std::istreambuf_iterator<char>(file), {});
  std::vector<size_t> filled;  // much of a database is room
  for (size_t at = 0; at < good.size(); ++at) {
    if (good[at] != 0) filled.push_back(at);
  }
  std::mt19937 random(20'261'128);
  for (int trial = 0; trial < 100; ++trial) {
    std::string bytes = good;
    const auto flips = 1 + random() % 4;
    for (size_t i = 0; i < flips; ++i) {
      bytes[filled[random() % filled.size()]] ^= static_cast<char>(1 + random() % 255);
    }
    const std::string path = site.folder.file("turned" + std::to_string(trial) + ".db");
    std::ofstream(path, std::ios::binary) << bytes;
    auto opened = site.open(path);
    if (!opened) continue;
    const std::vector<std::string> imported{"q1@west"};
    if (const Result<View> view = (*opened)->read(imported); view) {
      for (const HostCap& cap : view->caps) CHECK(cap.slots >= 0);
    }
  }
}

TEST_CASE("a kept database that is not there was read all the same") {
  const Scratch folder;
  const std::string path = folder.file("none.db");
  Result<KeptDatabase> kept = KeptDatabase::open(path, {"the agent's state", {}, {}}, true);
  REQUIRE(kept);
  REQUIRE(kept->missing());
  const Status run = kept->run([](SQLite::Database& db) -> Status {
    db.exec("select 1");
    return {};
  });
  REQUIRE_FALSE(run);
  CHECK_THAT(describe(run.error()), Catch::Contains(path));
}

}  // namespace
}  // namespace leasehold::agent
