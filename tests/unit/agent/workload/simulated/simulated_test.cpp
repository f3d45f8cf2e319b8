#include "agent/workload/simulated/simulated.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

wire::HostFacts facts(const char* name, int32_t slots) {
  wire::HostFacts made;
  made.name = name;
  made.slots = slots;
  return made;
}

SimulatedSettings settings(const Scratch& scratch) {
  SimulatedSettings made;
  made.state = scratch.file("jobs.db");
  made.hosts = {facts("big1", 4), facts("big2", 4)};
  made.jobs.slots = 8;
  GeneratorOptions generator;
  generator.slots = 8;
  generator.busy_ppm = 1'500'000;
  generator.shape = Shape::bursts;
  generator.period_ms = 600'000;
  generator.width_max = 3;
  generator.run_ms = 40'000;
  made.jobs.generator = generator;
  made.speed_milli = 10'000;
  return made;
}

HostCap own_cap(const char* host, int32_t slots) {
  return {host, false, slots, 2, 0, 0, {{1, 0, slots - 2, 2}}};
}
HostCap imported_cap(const char* host, int32_t slots) {
  return {host, true, slots, 0, 0, 0, {{2, 0, slots, 0}}};
}

const std::vector<std::string> kImported{"w-1"};

struct Machine {
  Scratch scratch;
  int64_t now_ms = 1'000'000;
  std::unique_ptr<Workload> workload;

  void open() {
    workload.reset();
    auto opened = open_simulated(settings(scratch), [this] { return now_ms; });
    REQUIRE(opened);
    workload = std::move(*opened);
  }
  View read() {
    auto view = workload->read(kImported);
    REQUIRE(view);
    return *view;
  }
  int64_t ask(const std::string& sql) {
    SQLite::Database db(settings(scratch).state);
    return db.execAndGet(sql).getInt64();
  }
};

/// Everything that a run leaves behind.
std::vector<int64_t> outcome(Machine& machine) {
  const View view = machine.read();
  std::vector<int64_t> numbers{view.pending, view.running};
  for (const HostLoad& load : view.loads) numbers.push_back(load.used);
  for (const char* fact : {"arrived", "ended", "started", "wait_ms_total"}) {
    numbers.push_back(
        machine.ask("select number from fact where key = '" + std::string(fact) + "'"));
  }
  numbers.push_back(machine.ask("select total(id * 7 + coalesce(start_ms, -1)) from job"));
  return numbers;
}

/// Ten minutes of the machine's clock, with caps that change twice.
std::vector<int64_t> run(int64_t look_every_ms, bool die_between) {
  Machine machine;
  machine.open();
  REQUIRE(machine.workload->enforce(std::vector<HostCap>{own_cap("big1", 3)}));
  for (int64_t passed = 0; passed < 60'000; passed += look_every_ms) {
    if (passed == 12'000) {
      REQUIRE(machine.workload->enforce(std::vector<HostCap>{imported_cap("w-1", 2)}));
    }
    if (passed == 36'000) {
      REQUIRE(machine.workload->enforce(std::vector<HostCap>{own_cap("big1", 2)}));
    }
    machine.now_ms += look_every_ms;
    if (die_between) machine.open();
    machine.read();
  }
  return outcome(machine);
}

TEST_CASE("simulated: what work looks like is told in real time, and adds up to its slots") {
  Machine machine;
  machine.open();
  const int64_t opened_ms = machine.now_ms;
  size_t waited = 0;
  for (int i = 0; i < 40; ++i) {
    machine.now_ms += 3'000;
    const View view = machine.read();
    REQUIRE(view.shapes);
    CHECK(view.shapes->now == Instant{machine.now_ms});
    int64_t slots = 0;
    for (const WaitingWork& work : view.shapes->waiting) {
      slots += work.slots;
      CHECK((work.slots_per_host == 1 && work.hosts == 1));  // it may span hosts
      CHECK((work.submitted.ms >= opened_ms && work.submitted.ms <= machine.now_ms));
      CHECK(work.limit == wire::TimeClass::minute_1);  // some 40 s of virtual time, ten a second
    }
    CHECK(slots == view.pending);
    waited += view.shapes->waiting.size();
    slots = 0;
    for (const RunningWork& work : view.shapes->running) {
      slots += work.slots;
      CHECK(work.started.ms <= machine.now_ms);
      CHECK(work.until.ms >= machine.now_ms);
    }
    CHECK(slots == view.running);
  }
  CHECK(waited > 10);
}

TEST_CASE("simulated: work that waits is as old after the agent has started again") {
  Machine machine;
  machine.open();
  View before;
  while (before.pending == 0) {
    machine.now_ms += 1'000;
    before = machine.read();
  }
  machine.open();
  const View after = machine.read();
  REQUIRE(after.shapes->waiting.size() == before.shapes->waiting.size());
  for (size_t i = 0; i < after.shapes->waiting.size(); ++i) {
    const WaitingWork& work = after.shapes->waiting[i];
    CHECK(work.slots == before.shapes->waiting[i].slots);
    // One real millisecond is ten virtual ones, so the times may differ by one.
    CHECK(std::abs(work.submitted - before.shapes->waiting[i].submitted) <= 1);
  }
  CHECK(after.shapes->running.size() == before.shapes->running.size());
}

TEST_CASE("what happens does not depend on how often the workload is looked at") {
  const std::vector<int64_t> often = run(100, false);
  CHECK(often == run(1'500, false));
  CHECK(often == run(12'000, false));
  CHECK(often[5] > 50);  // it was a run worth comparing: jobs arrived
  CHECK(often[6] > 20);  // and ended
}

TEST_CASE("jobs and caps go on while no agent runs") {
  CHECK(run(4'000, true) == run(100, false));
}

TEST_CASE("a cap is on disk when enforce returns, and in force for whoever opens the file next") {
  Machine machine;
  machine.open();
  REQUIRE(
      machine.workload->enforce(std::vector<HostCap>{own_cap("big1", 3), imported_cap("w-1", 1)}));
  CHECK(machine.ask("select slots from cap where host = 'big1'") == 3);
  CHECK(machine.ask("select slots from cap where host = 'w-1'") == 1);
  machine.open();
  const View view = machine.read();
  REQUIRE(view.caps.size() == 2);
  CHECK(view.caps[0] == own_cap("big1", 3));
  CHECK(view.caps[1] == imported_cap("w-1", 1));
}

TEST_CASE("a cap below what is in use ends nothing and lets nothing start") {
  Machine machine;
  machine.open();
  machine.now_ms += 2'000;
  View view = machine.read();
  REQUIRE(view.loads[0].used == 4);
  REQUIRE(view.pending > 0);
  REQUIRE(machine.workload->enforce(std::vector<HostCap>{own_cap("big1", 1)}));
  CHECK(machine.read().loads[0].used == 4);
  int32_t least = 4;
  for (int i = 0; i < 200; ++i) {
    machine.now_ms += 100;
    const int32_t used = machine.read().loads[0].used;
    CHECK(used <= std::max(least, 1));
    least = std::min(least, used);
  }
  CHECK(least <= 1);
  CHECK(machine.ask("select coalesce(sum(used), 0) from host_use where host = 'big1'") <= 1);
}

TEST_CASE("a cap without parts gives an own host back and takes an imported one away") {
  Machine machine;
  machine.open();
  REQUIRE(
      machine.workload->enforce(std::vector<HostCap>{own_cap("big1", 2), imported_cap("w-1", 4)}));
  machine.now_ms += 2'000;
  View view = machine.read();
  CHECK(view.loads[0].used == 2);
  CHECK(view.loads[2].used == 4);
  REQUIRE(machine.workload->enforce(
      std::vector<HostCap>{{"big1", false, 4, 4, 0, 0, {}}, {"w-1", true, 0, 0, 0, 0, {}}}));
  view = machine.read();
  CHECK(view.caps.empty());
  CHECK(view.loads[0].used == 4);
}

TEST_CASE("the peak tells of a job that came and went between two looks") {
  Machine machine;
  machine.open();
  REQUIRE(machine.workload->enforce(std::vector<HostCap>{imported_cap("w-1", 4)}));
  machine.now_ms += 2'000;
  const View busy = machine.read();
  REQUIRE(busy.loads[2].used > 0);
  CHECK(busy.loads[2].used_peak >= busy.loads[2].used);
  REQUIRE(machine.workload->enforce(std::vector<HostCap>{own_cap("big1", 2)}));
  machine.open();  // an agent that died after the look sees it once more
  CHECK(machine.read().loads[2].used_peak > 0);
}

TEST_CASE("a job that is ended goes back into the queue and its slots are free") {
  Machine machine;
  machine.open();
  machine.now_ms += 2'000;
  machine.read();
  REQUIRE(machine.workload->enforce(std::vector<HostCap>{own_cap("big1", 0)}));
  const auto work = machine.workload->work_units();
  REQUIRE(work);
  std::vector<std::string> jobs;
  for (const WorkUnit& unit : work->units) {
    CHECK((unit.running() ? unit.started <= work->now : unit.slots > 0));
    if (unit.slots_on("big1") > 0) jobs.push_back(unit.id);
  }
  REQUIRE_FALSE(jobs.empty());
  for (const std::string& job : jobs) REQUIRE(machine.workload->end_and_requeue({job}));
  CHECK(machine.read().loads[0].used == 0);
  CHECK(machine.ask("select count(*) from job where state = 'queued' and id = " + jobs.front()) ==
        1);
  CHECK(machine.workload->end_and_requeue({"999999"}));  // gone: done
  CHECK_FALSE(machine.workload->end_and_requeue({"x"}));
}

TEST_CASE("a host out of service is down and starts nothing") {
  Machine machine;
  machine.open();
  {
    SQLite::Database db(settings(machine.scratch).state, SQLite::OPEN_READWRITE);
    db.exec("insert into down values ('big1')");
  }
  machine.open();
  machine.read();
  machine.now_ms += 2'000;
  const View view = machine.read();
  CHECK_FALSE(view.hosts[0].up);
  CHECK_FALSE(view.loads[0].up);
  CHECK(view.loads[0].used == 0);
  CHECK(view.loads[1].used == 4);
}

TEST_CASE("a look only writes nothing, and other jobs are not continued in the same file") {
  Machine machine;
  machine.open();
  machine.now_ms += 2'000;
  machine.read();
  const int64_t before = machine.ask("select number from fact where key = 'wall_ms'");
  machine.now_ms += 60'000;
  auto look = open_simulated(
      settings(machine.scratch), [&] { return machine.now_ms; }, true);
  REQUIRE(look);
  CHECK((*look)->read(kImported));
  CHECK_FALSE((*look)->enforce(std::vector<HostCap>{own_cap("big1", 1)}));
  CHECK(machine.ask("select number from fact where key = 'wall_ms'") == before);
  SimulatedSettings other = settings(machine.scratch);
  other.jobs.generator->seed = 2;
  const auto refused = open_simulated(other, [] { return int64_t{0}; });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("another source") != std::string::npos);
}

}  // namespace
}  // namespace leasehold::agent
