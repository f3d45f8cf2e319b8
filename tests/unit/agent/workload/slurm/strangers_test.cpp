// Others use a cluster, too: reservations that are not ours, words that nobody knows, a site's own
// settings.
#include "tests/unit/agent/workload/slurm/cluster.hpp"

using namespace leasehold;
using namespace leasehold::agent;
using namespace leasehold::agent::test;
using Cluster = SlurmCluster;

TEST_CASE("slurm: a reservation that begins later closes nothing today, and is told") {
  Cluster here;
  here.slurm.reservations.push_back({"p1", {0, 1, 2, 3, 4, 5, 6, 7}, true, "course", "INACTIVE"});
  CHECK(here.load("p1").up);
  here.enforce(own(5));
  CHECK(here.cap("p1") == own(5));
  CHECK(here.slurm.open("p1") == 5);
  CHECK(here.workload->permissions_lacking()->empty());
  const auto cautions = here.workload->cautions();
  REQUIRE(cautions->size() == 1);
  CHECK(cautions->front().find("reservation course begins 2026-11-21T10:10:20") !=
        std::string::npos);
  here.slurm.reservations.front().state = "ACTIVE";
  CHECK_FALSE(here.load("p1").up);
  // Symptom: from its first instant on nothing said why the host was down, nor that borrowed work
  // was still there.
  const View view = here.look();
  const auto p1 = std::find_if(view.hosts.begin(), view.hosts.end(),
                               [](const wire::HostFacts& host) { return host.name == "p1"; });
  REQUIRE(p1 != view.hosts.end());
  REQUIRE(p1->horizon);
  CHECK(p1->horizon->name == "course");
  here.slurm.reservations.erase(here.slurm.reservations.begin());
  CHECK(here.load("p1").up);
}

TEST_CASE(
    "slurm: a reservation of parts of several hosts takes its cores of each, where they are said") {
  // Symptom: each of its hosts was down as a whole, though Slurm prints the cores of each.
  Cluster here;
  here.slurm.reservations.push_back({"p1,imp-q1", {0, 1, 2}, false, "course"});
  CHECK_FALSE(here.load("p1").up);  // 22.05 does not say how many of each
  here.slurm.reservations.front().cores_by_node =
      "   NodeName=p1 CoreIDs=0-1   NodeName=imp-q1 CoreIDs=3 TRES=cpu=3";
  CHECK(here.load("p1").up);
  CHECK(here.load("p1").used == 2);
}

TEST_CASE("slurm: a reservation of a part takes its slots, not the host") {
  Cluster here;
  here.slurm.reservations.push_back({"p1", {0, 1}, false, "course"});
  CHECK(here.load("p1").up);
  CHECK(here.load("p1").used == 2);  // nobody else's, used or not
  // Slurm lays the fence over them: the course's two and five of our own are all that is open.
  here.enforce(own(5));
  CHECK(here.cap("p1") == own(5));
  CHECK(here.slurm.startable("p1", 4).empty());
  CHECK(here.slurm.startable("p1", 3) == std::set<int>{5, 6, 7});
  here.slurm.jobs.push_back({50, "RUNNING", "p1", {0, 1}, "course"});
  here.slurm.jobs.push_back({51, "RUNNING", "p1", {5}});
  CHECK(here.load("p1").used == 3);
  CHECK(here.cap("p1") == own(5));
  here.slurm.reservations.erase(here.slurm.reservations.begin());
  here.slurm.jobs.clear();
  here.look();
  CHECK(here.slurm.open("p1") == 5);
  CHECK(here.cap("p1") == own(5));
}

TEST_CASE("slurm: what nobody knows makes its own host not up, and is told") {
  Cluster here;
  here.look();
  SECTION("a state of a host") {
    here.slurm.odd = "p1";
  }
  SECTION("a state of a job, which holds what it has") {
    here.slurm.jobs.push_back({5, "BEWITCHED", "p1", {0, 1}});
    CHECK(here.load("p1").used == 2);
  }
  SECTION("a state of a reservation") {
    here.slurm.reservations.push_back({"p1", {0}, false, "course", "DREAMING"});
  }
  CHECK_FALSE(here.load("p1").up);
  CHECK(here.load("imp-q1").up);
  REQUIRE(here.workload->cautions());
  CHECK(here.workload->cautions()->back().find("is in the unknown state '") != std::string::npos);
}

/// Symptom: no look succeeded while a maintenance window covered cloud hosts that were off.
TEST_CASE("slurm: a reservation or a job on a host that is not listed blinds nobody") {
  Cluster here;
  here.look();
  here.slurm.reservations.push_back({"cloud9", {0}, true, "maintenance", "INACTIVE"});
  here.slurm.jobs.push_back({5, "RUNNING", "cloud9", {0, 1}});
  here.slurm.jobs.push_back({6, "RUNNING", "cloud[9-10]", {0, 1}});
  here.run("p1", 3);
  CHECK(here.load("p1").used == 3);
  CHECK(here.load("p1").up);
  const auto cautions = here.workload->cautions();
  REQUIRE(cautions);
  CHECK(std::find(cautions->begin(), cautions->end(),
                  "reservation maintenance is on host cloud9, which is not listed") !=
        cautions->end());
}

TEST_CASE("slurm: what a user or a site set for Slurm's programs reaches none of them") {
  Cluster here;
  here.look();
  here.run("p1", 1);
  REQUIRE(here.workload->end_and_requeue({"1"}));
  CHECK(here.slurm.cleared ==
        std::set<std::string>{"SALLOC_", "SCANCEL_", "SCONTROL_", "SINFO_", "SLURM_", "SQUEUE_"});
  CHECK(here.slurm.local);
}
