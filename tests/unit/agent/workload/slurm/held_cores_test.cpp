// Hold jobs come and go one by one: what a cap says of them meanwhile, and what the log says.
#include <algorithm>

#include "tests/unit/agent/said.hpp"
#include "tests/unit/agent/workload/slurm/cluster.hpp"

namespace leasehold::agent::test {
namespace {

struct HeldCores : SlurmCluster {
  HeldCores() {
    settings.fence = SlurmFence::hold_job;
    slurm.reservations.clear();
    open();
    look();
  }
  /// Ends one of the test's own jobs, of one core each.
  void end_one() {
    for (StandInJob& job : slurm.jobs) {
      if (!job.name.empty() || job.state != "RUNNING") continue;
      job.state = "COMPLETED";
      return;
    }
    FAIL("no job runs");
  }
  void pass(int64_t ms) {
    time.at_ms += ms;
    slurm.now += static_cast<int>(ms / 1'000);
  }
  int32_t open_slots() { return cap("p1").value().slots; }
};

TEST_CASE("slurm: with each job that ended all of a host counted as open again") {
  HeldCores site;
  for (int i = 0; i < 8; ++i) site.run("p1", 1);
  site.enforce(own(4));
  const Said said;
  CHECK(site.open_slots() == 8);
  site.end_one();
  CHECK(site.open_slots() == 8);  // a controller that is killed now would forget its hold job
  site.pass(3'000);
  site.end_one();
  CHECK(site.open_slots() == 8);
  site.pass(3'000);
  CHECK(site.open_slots() == 7);
  site.end_one();
  CHECK(site.open_slots() == 7);
  site.pass(3'000);
  CHECK(site.open_slots() == 6);
  site.pass(3'000);
  CHECK(site.open_slots() == 5);
  CHECK(said.count("fence-restored") == 0);  // there was none before
}

TEST_CASE("slurm: a hold job that somebody ended is said to be lost, and counts as open") {
  HeldCores site;
  site.enforce(own(5));
  site.pass(kSlurmSavesWithinMs);
  REQUIRE(site.open_slots() == 5);
  const Said said;
  const auto on_p1 = [](const StandInJob& job) { return job.node == "p1"; };
  site.slurm.jobs.erase(std::find_if(site.slurm.jobs.begin(), site.slurm.jobs.end(), on_p1));
  CHECK(site.open_slots() == 6);
  CHECK(said.count("fence-restored") == 1);
  site.pass(kSlurmSavesWithinMs);
  CHECK(site.open_slots() == 5);
  CHECK(said.count("fence-restored") == 1);
  SECTION("one that the agent ended itself is not") {
    site.enforce(own(7));
    site.look();
    site.enforce(own(4));
    site.look();
    CHECK(said.count("fence-restored") == 1);
  }
}

TEST_CASE("slurm: a reservation that waits for jobs to end was said to be made anew") {
  SlurmCluster site;
  site.look();
  for (int i = 0; i < 8; ++i) site.run("p1", 1);
  const Said said;
  REQUIRE(site.workload->enforce(std::vector{own(5)}));
  site.look();
  for (StandInJob& job : site.slurm.jobs) job.state = "COMPLETED";
  site.look();
  CHECK(said.count("fence-restored") == 0);
  site.slurm.reservations.clear();
  site.look();
  CHECK(said.count("fence-restored host=p1") == 1);
}

TEST_CASE("slurm: a start of the agent doubts what Slurm may forget of its hold jobs, no more") {
  HeldCores site;
  site.enforce(own(6));
  site.pass(kSlurmSavesWithinMs + 1'000);
  site.enforce(own(5));
  site.open();
  CHECK(site.open_slots() == 6);
  site.pass(kSlurmSavesWithinMs);
  CHECK(site.open_slots() == 5);
}

}  // namespace
}  // namespace leasehold::agent::test
