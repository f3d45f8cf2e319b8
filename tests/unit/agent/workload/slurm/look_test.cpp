// One look at a Slurm cluster costs few programs; some tests stop the controller meanwhile.
#include "agent/workload/slurm/printed/text.hpp"
#include "tests/unit/agent/workload/slurm/cluster.hpp"

namespace leasehold::agent::test {
namespace {

const std::string kListsJobs = std::string("squeue -h -a -r -t all -o ") + kSlurmJobFormat;
const std::string kListsWants = std::string("squeue -h -a -r -t pending -O ") + kSlurmWantsFormat;

using Programs = std::vector<std::string>;

const Programs kOneLook{"scontrol -a -o show node", "scontrol -o show reservation",
                        "scontrol -a -o show partition", kListsJobs, "scontrol show config"};

struct WatchedCluster : SlurmCluster {
  WatchedCluster() { look(); }
  /// Returns the programs that `run` starts.
  template <class Run>
  Programs programs(Run run) {
    slurm.programs.clear();
    run();
    return slurm.programs;
  }
  /// Calls it when jobs are listed.
  void within_look(std::function<void()> happens) {
    slurm.on_call = [happens = std::move(happens)](const std::string& line) {
      if (line == kListsJobs) happens();
    };
  }
};

TEST_CASE("slurm: a look starts five programs, and six where work waits") {
  WatchedCluster here;
  const Programs looks = here.programs([&] { here.look(); });
  CHECK(looks == kOneLook);
  const Programs enforces = here.programs([&] { here.enforce(own(8)); });
  CHECK(enforces == kOneLook);
  here.slurm.pending = "9|PENDING|1|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||Priority\n";
  const Programs with_wants = here.programs([&] { here.look(); });
  REQUIRE(with_wants.size() == 6);
  CHECK(with_wants.back() == kListsWants);
}

// With a controller that takes seconds a call its agent's looks took so many times as long.
TEST_CASE("slurm: a look waits for three programs, whatever runs beside them") {
  Scratch folder;
  SlurmStandIn slurm{{{"p1", 8}, {"imp-q1", 4}}};
  slurm.pending = "9|PENDING|1|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||Priority\n";
  std::vector<size_t> together;
  AdapterSettings adapter;
  adapter.names = {"imp-{host}", {{"q1@east", "imp-q1"}}};
  adapter.journal = folder.file("fences");
  const auto workload = open_slurm(
      {}, adapter, true, [&together, one = slurm.caller()](std::span<const CallRequest> requests) {
        together.push_back(requests.size());
        return one(requests);
      });
  REQUIRE(workload);
  REQUIRE((*workload)->read({}));
  together.clear();
  REQUIRE((*workload)->read({}));
  CHECK(together == std::vector<size_t>{3, 1, 2});
}

TEST_CASE("slurm: the first look of a process asks the controller at its beginning too") {
  WatchedCluster here;
  Programs expected{"scontrol ping", "scontrol show config"};
  expected.insert(expected.end(), kOneLook.begin(), kOneLook.end());
  const Programs first = here.programs([&] { here.open(); });
  CHECK(first == expected);
  const Programs next = here.programs([&] { here.look(); });
  CHECK(next == kOneLook);
}

TEST_CASE("slurm: fences that a controller forgot within a look are made anew by this look") {
  WatchedCluster here;
  here.enforce(own(3));
  bool done = false;
  here.within_look([&] {
    if (std::exchange(done, true)) return;
    here.slurm.reservations.clear();
    here.restart();
  });
  const View view = here.look();
  CHECK(here.slurm.open("p1") == 3);
  CHECK(here.slurm.open("imp-q1") == 0);
  for (const HostCap& cap : view.caps) CHECK(cap.slots == (cap.imported ? 4 : 8));
}

TEST_CASE("slurm: no look is made of two lives of a controller that is started again and again") {
  WatchedCluster here;
  here.within_look([&] { here.slurm.boot = ++here.slurm.now; });
  const auto view = here.workload->read({});
  REQUIRE_FALSE(view);
  CHECK(view.error().message.find("was restarted") != std::string::npos);
  here.within_look([] {});
  CHECK(here.workload->read({}));
}

TEST_CASE("slurm: a look is as old as its beginning, however long it takes") {
  WatchedCluster here;
  const Instant began = here.look().shapes->now;
  here.within_look([&] {
    here.time.at_ms += 4'500;
    here.slurm.now += 5;
  });
  CHECK(here.look().shapes->now == began);
}

TEST_CASE("slurm: a dead controller is asked one question with a bound, and nothing else") {
  WatchedCluster here;
  here.slurm.up = false;
  CHECK_FALSE(here.workload->read({}));  // it died since the look before
  const std::vector<std::function<bool()>> all{
      [&] { return here.workload->read({}).has_value(); },
      [&] { return here.workload->enforce(std::vector{own(3)}).has_value(); },
      [&] { return here.workload->work_units().has_value(); },
      [&] { return here.workload->end_of({"1"}).has_value(); },
      [&] { return here.workload->end_and_requeue({"1"}).has_value(); },
      [&] { return here.open(), false; }};
  for (const auto& one : all) {
    bool done = true;
    const Programs run = here.programs([&] { done = one(); });
    CHECK_FALSE(done);
    CHECK(run == Programs{"scontrol ping"});
    CHECK(here.slurm.last.timeout_ms == 5'000);
  }
  here.slurm.up = true;
  const Programs first = here.programs([&] { here.look(); });
  CHECK(first.front() == "scontrol ping");
  const Programs next = here.programs([&] { here.look(); });
  CHECK(next == kOneLook);
}

TEST_CASE("slurm: a program that takes long is not waited for while no controller answers") {
  WatchedCluster here;
  REQUIRE(here.slurm.last.health_check);
  const HealthCheck& check = *here.slurm.last.health_check;
  CHECK(check.argv == Programs{"scontrol", "ping"});
  CHECK(check.timeout_ms == 5'000);
  CHECK(check.is_there({0, "Slurmctld(primary) at vm is UP\n", ""}));
  CHECK_FALSE(check.is_there({1, "Slurmctld(primary) at vm is DOWN\n", ""}));
}

}  // namespace
}  // namespace leasehold::agent::test
