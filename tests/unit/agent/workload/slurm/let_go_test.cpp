// Hold jobs on a host that is to restart, or is drained, and that nobody else uses.
#include <fstream>

#include "tests/unit/agent/said.hpp"
#include "tests/unit/agent/workload/slurm/cluster.hpp"

namespace leasehold::agent::test {
namespace {

struct HeldSite : SlurmCluster {
  HeldSite() {
    settings.fence = SlurmFence::hold_job;
    slurm.reservations.clear();
    open();
    look();
    enforce(own(5));
    REQUIRE(held() == 3);
    after_a_while();
  }
  int held() const {
    int jobs = 0;
    for (const StandInJob& job : slurm.jobs) {
      jobs += !job.name.empty() && job.state == "RUNNING" && job.node == "p1";
    }
    return jobs;
  }
  /// Jobs that were cancelled are gone, and what was begun cannot be forgotten.
  void after_a_while() {
    std::erase_if(slurm.jobs, [](const StandInJob& job) { return job.state == "COMPLETING"; });
    time.at_ms += kSlurmSavesWithinMs;
    slurm.now += kSlurmSavesWithinMs / 1'000 + 1;
    look();
  }
  void to_restart() {
    slurm.asleep = "p1";
    slurm.asleep_as = "MIXED+REBOOT_REQUESTED";
  }
  void is_back() { slurm.asleep.clear(); }
  wire::HostFacts facts() { return look().hosts.at(0); }
};

TEST_CASE("slurm: hold jobs end where their host is to restart and nobody else uses it") {
  // Symptom: `scontrol reboot` waited for ever after the borrowed job had ended.
  HeldSite site;
  site.to_restart();
  site.look();
  CHECK(site.held() == 3);  // others may run there
  site.workload->nobody_else_uses({"p1"});
  site.look();
  CHECK(site.held() == 0);
  CHECK(site.load("p1").used == 0);  // they are no work of the owner
  site.after_a_while();
  CHECK(site.held() == 0);
  SECTION("it is up again once they hold it again") {
    site.is_back();
    CHECK_FALSE(site.facts().up);  // Slurm may forget them yet
    CHECK(site.held() == 3);
    CHECK(site.facts().not_up == wire::NotUp::not_now);
    site.after_a_while();
    CHECK(site.facts().up);
  }
  SECTION("work of its own that began before keeps it from that") {
    site.is_back();
    site.run("p1", 7);
    CHECK_FALSE(site.facts().up);
    site.after_a_while();
    CHECK_FALSE(site.facts().up);
    SECTION("also after a start of the agent") {
      site.open();
      CHECK_FALSE(site.facts().up);
    }
    for (StandInJob& job : site.slurm.jobs) {
      if (job.name.empty()) job.state = "COMPLETED";
    }
    site.after_a_while();
    site.after_a_while();
    CHECK(site.held() == 3);
    CHECK(site.facts().up);
  }
}

TEST_CASE("slurm: an agent that was killed while it ended hold jobs") {
  HeldSite site;
  site.to_restart();
  site.workload->nobody_else_uses({"p1"});
  SECTION("before the first of them called no host down for ever") {
    site.slurm.on_call = [&site](const std::string& line) {
      if (line.starts_with("scancel")) site.slurm.up = false;
    };
    site.look();
    site.slurm.on_call = [](const std::string&) {};
    site.slurm.up = true;
    CHECK(site.held() == 3);
    site.open();
    site.is_back();
    CHECK(site.facts().up);
    site.look();
    CHECK(std::filesystem::file_size(site.folder.file("fences.let-go")) == 0);
  }
  SECTION("after some of them did not call the host up before it was kept again") {
    site.slurm.no_answer = "scancel";  // done, and nobody learns it
    site.look();
    CHECK(site.held() < 3);
    site.slurm.no_answer.clear();
    site.open();
    site.is_back();
    CHECK_FALSE(site.facts().up);
    site.after_a_while();
    CHECK(site.held() == 3);
    site.after_a_while();
    CHECK(site.facts().up);
  }
}

TEST_CASE("slurm: a host that was back while its hold jobs still ended was called up") {
  HeldSite site;
  site.to_restart();
  site.workload->nobody_else_uses({"p1"});
  site.look();
  site.is_back();
  site.workload->nobody_else_uses({});
  CHECK_FALSE(site.facts().up);
  CHECK(site.cap("p1")->slots == 8);  // those that end keep nothing, new ones may be forgotten
  site.after_a_while();
  site.after_a_while();
  CHECK(site.facts().up);
  CHECK(site.cap("p1")->slots == 5);
}

TEST_CASE("slurm: hold jobs that end already are not ended again at each look") {
  HeldSite site;
  site.to_restart();
  site.workload->nobody_else_uses({"p1"});
  site.look();
  const size_t calls = site.slurm.called.size();
  site.look();
  CHECK(site.slurm.called.size() == calls);
}

TEST_CASE("slurm: a host that was let go under a name that is gone keeps no other down") {
  HeldSite site;
  std::ofstream(site.folder.file("fences.let-go")) << "p9\n";
  site.open();
  CHECK(site.facts().up);
  site.slurm.add("p9", 8);  // one that comes back under it is down only as long as it must
  site.look();
  for (const wire::HostFacts& host : site.look().hosts) CHECK(host.up);
}

TEST_CASE("slurm: fences were called failed while a host that is kept again stayed in the file") {
  HeldSite site;
  site.to_restart();
  site.workload->nobody_else_uses({"p1"});
  site.look();
  site.is_back();
  site.after_a_while();
  std::filesystem::create_directory(site.folder.file("fences.let-go.new"));  // not to be written
  const Said said;
  site.after_a_while();
  site.after_a_while();
  CHECK(site.facts().up);
  CHECK(said.count("fence-failed") == 0);
}

TEST_CASE("slurm: hold jobs end where their host is drained and nobody else uses it") {
  HeldSite site;
  site.slurm.drained["p1"] = "disk";
  site.workload->nobody_else_uses({"p1"});
  site.look();
  CHECK(site.held() == 0);
}

TEST_CASE("slurm: a start of the agent called a host down whose own jobs still ran on its cores") {
  HeldSite site;
  site.run("p1", 5);
  site.enforce(own(2));  // three more cores are to be held once jobs leave them
  site.after_a_while();
  CHECK(site.facts().up);
  site.open();
  CHECK(site.facts().up);
}

TEST_CASE("slurm: a host whose hold jobs died while no agent ran was called up when it was back") {
  HeldSite site;
  std::erase_if(site.slurm.jobs, [](const StandInJob& job) { return !job.name.empty(); });
  SECTION("where it was down at the start") {
    site.slurm.asleep = "p1";
    site.slurm.asleep_as = "DOWN";
    site.open();
    CHECK_FALSE(site.facts().up);
    site.is_back();
    site.run("p1", 7);  // began before a hold job could
  }
  SECTION("where it was back already, with idle cores") {
    site.run("p1", 7);
    site.open();
  }
  CHECK_FALSE(site.facts().up);
  site.after_a_while();
  CHECK_FALSE(site.facts().up);
  for (StandInJob& job : site.slurm.jobs) {
    if (job.name.empty()) job.state = "COMPLETED";
  }
  site.after_a_while();
  site.after_a_while();
  CHECK(site.held() == 3);
  CHECK(site.facts().up);
}

TEST_CASE("slurm: hold jobs stay where their host is up, or somebody may use it") {
  HeldSite site;
  site.workload->nobody_else_uses({"p1"});
  site.look();
  CHECK(site.held() == 3);
  CHECK(site.facts().up);
  site.workload->nobody_else_uses({});
  site.to_restart();
  site.look();
  CHECK(site.held() == 3);
}

}  // namespace
}  // namespace leasehold::agent::test
