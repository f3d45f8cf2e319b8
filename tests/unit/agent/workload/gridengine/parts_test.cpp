// The parts of the Grid Engine adapter, each alone.
#include <catch2/catch.hpp>

#include "agent/workload/gridengine/demand.hpp"
#include "agent/workload/gridengine/fences.hpp"
#include "tests/unit/agent/workload/gridengine/site.hpp"

namespace leasehold::agent {

namespace {

GridEngineInstance instance(const std::string& host, int32_t total,
                            std::vector<GridEngineJob> jobs) {
  return {"all.q", host, 0, 0, total, true, std::move(jobs)};
}

QueueHosts hosts_of(std::vector<GridEngineInstance> instances) {
  Result<QueueHosts> hosts = QueueHosts::of({std::move(instances), {}, {}}, "all.q");
  REQUIRE(hosts);
  return *std::move(hosts);
}

struct Noted {
  Scratch folder;
  test::PlayedTime time;
  GridEngineNotes notes = open();
  EndingJobs ending{notes, time};

  GridEngineNotes open() const {
    return GridEngineNotes::open(folder.file("notes"), "east", false).value();
  }
};

GridEngineJob exclusive(const std::string& id) {
  GridEngineJob job{id, "r", 1};
  job.flags = {"exclusive"};
  return job;
}

}  // namespace

TEST_CASE("Slots of a requeued job stay in use until its processes have had their time") {
  Noted kept;
  const std::vector<PlacedJob> places{{"all.q", "big1", {"7", "r", 3}}};
  REQUIRE(kept.ending.note("7", places, 10'000));
  const GridEngineInstance host = instance("big1", 8, {});
  GridEngineInstance silent = host;
  silent.up = false;
  CHECK(kept.ending.slots_on(host) == 3);
  CHECK(kept.ending.slots_on(instance("big2", 8, {})) == 0);
  CHECK(kept.ending.slots_on(instance("big1", 8, {{"7", "r", 3}})) == 0);  // counted there
  kept.time.now_ms += 14'999;
  CHECK(kept.ending.slots_on(host) == 3);
  kept.time.now_ms += 1;
  CHECK(kept.ending.slots_on(host) == 0);
  CHECK(kept.ending.slots_on(silent) == 3);  // nobody knows whether it has ended
  SECTION("and have it again after a reboot, since nobody knows how much of it is left") {
    kept.time.boot = "two";
    REQUIRE(kept.ending.renew());
    CHECK(kept.ending.slots_on(host) == 3);
    REQUIRE(kept.ending.drop("7"));
    CHECK(kept.ending.slots_on(host) == 0);
  }
  SECTION("and are free after a week of a silent host") {
    kept.time.now_ms += int64_t{7} * 24 * 3'600'000;
    REQUIRE(kept.ending.drop_old());
    CHECK(kept.ending.slots_on(silent) == 3);
    kept.time.now_ms += 1;
    REQUIRE(kept.ending.drop_old());
    CHECK(kept.ending.slots_on(silent) == 0);
  }
}

TEST_CASE("A job that has its host for itself keeps what it found there, the next one does not") {
  HostsTakenWhole taken;
  GridEngineTerms terms;
  terms.exclusive = {"exclusive"};
  taken.note(hosts_of({instance("big1", 8, {exclusive("1")}), instance("big2", 8, {})}), terms);
  CHECK(taken.slots_on("big1") == 8);
  CHECK(taken.slots_on("big2") == 0);
  taken.note(hosts_of({instance("big1", 5, {exclusive("1")})}), terms);
  CHECK(taken.slots_on("big1") == 8);
  taken.note(hosts_of({instance("big1", 5, {exclusive("2")})}), terms);
  CHECK(taken.slots_on("big1") == 5);
  taken.note(hosts_of({instance("big1", 5, {})}), terms);
  CHECK(taken.slots_on("big1") == 0);
}

TEST_CASE("A fence leaves closed what processes of an ended job may still use") {
  Noted kept;
  test::PlayedCell played;
  played.hosts = {"big1"};
  const GridEngineCell cell({"/sge", "east", "", "all.q", 21001, 21002}, 1'000, played.caller());
  const HostOwners owners = HostOwners::open({}, kept.folder.file("hosts"), false).value();
  const ReservedSlots reserved(cell);
  QueueFences fences(cell, kept.notes, kept.ending, reserved, owners,
                     CapJournal::open(kept.folder.file("journal"), false).value());
  const HostCap cap{"big1", false, 6, 2, 0, 0, {{7, 0, 4, 6}}, 0};
  const auto seen = [&] { return QueueHosts::of(cell.look().value(), "all.q").value(); };
  const std::vector<PlacedJob> places{{"all.q", "big1", {"7", "r", 3}}};
  REQUIRE(kept.ending.note("7", places, 0));
  REQUIRE(fences.enforce(std::span(&cap, 1), seen()));
  CHECK(played.entries.at("big1") == 3);
  CHECK(fences.capacity(seen().all().front()) == 8);
  kept.time.now_ms += 5'000;
  REQUIRE(fences.enforce(std::span(&cap, 1), seen()));
  CHECK(played.entries.at("big1") == 6);
  const Status refused =
      fences.enforce(std::vector<HostCap>{{"gone", false, 1, 1, 0, 0, {}, 0}}, seen());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "not in the queue all.q: gone");
}

}  // namespace leasehold::agent
