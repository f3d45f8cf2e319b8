// The Slurm adapter against a stand-in that keeps state: caps stand, and nothing opens that should
// not.
#include "tests/unit/agent/workload/slurm/cluster.hpp"

using namespace leasehold;
using namespace leasehold::agent;
using namespace leasehold::agent::test;
using Cluster = SlurmCluster;

TEST_CASE("slurm: an imported host is closed by the first look, before any cap is known") {
  Cluster here;
  CHECK(here.slurm.open("imp-q1") == 4);
  const View first = here.look();
  CHECK(here.slurm.open("imp-q1") == 0);
  CHECK(here.slurm.open("p1") == 8);
  REQUIRE(first.hosts.size() == 1);
  CHECK(first.hosts.front().name == "p1");
  CHECK(first.loads.size() == 2);
  // The fence is young: a controller that is killed now forgets it.
  REQUIRE(first.caps.size() == 1);
  CHECK(first.caps.front().slots == 4);
  here.time.at_ms += kSlurmSavesWithinMs;
  CHECK(here.look().caps.empty());
}

TEST_CASE("slurm: a cap on idle slots is one reservation, and exact") {
  Cluster here;
  here.look();
  for (const int32_t slots : {5, 2, 8, 7, 0, 6}) {
    INFO(slots);
    here.enforce(own(slots));
    CHECK(here.slurm.open("p1") == slots);
    REQUIRE(here.cap("p1") == own(slots));
    const auto ours = std::count_if(here.slurm.reservations.begin(), here.slurm.reservations.end(),
                                    [](const auto& one) { return one.node == "p1"; });
    CHECK(ours == (slots == 8 ? 0 : 1));
  }
  here.enforce({"p1", false, 8, 8, 0, 0, {}, 0});
  CHECK_FALSE(here.cap("p1"));
  here.enforce(imported(3));
  CHECK(here.slurm.open("imp-q1") == 3);
  CHECK(here.cap("imp-q1") == imported(3));
  here.enforce(gone());
  CHECK(here.slurm.open("imp-q1") == 0);
  CHECK_FALSE(here.cap("imp-q1"));
}

TEST_CASE("slurm: never is more open while a cap changes than the higher of both") {
  Cluster here;
  here.look();
  here.enforce(own(5));
  here.slurm.called.clear();
  here.enforce(own(3));
  REQUIRE(here.slurm.called.size() == 2);
  CHECK(here.slurm.called[0].find("create reservation") != std::string::npos);
  CHECK(here.slurm.called[1].find("delete") != std::string::npos);
}

TEST_CASE("slurm: a cap below what is in use ends no work and lets none start") {
  Cluster here;
  here.look();
  here.run("p1", 4);
  here.run("p1", 3);
  here.enforce(own(5));
  CHECK(here.cap("p1") == own(5));
  CHECK(here.load("p1").used == 7);
  CHECK_FALSE(here.slurm.start("p1", 1));
  // Its slots come free; those below the cap are open again, and no other.
  here.slurm.jobs.erase(here.slurm.jobs.begin());
  CHECK_FALSE(here.slurm.start("p1", 1));
  CHECK(here.cap("p1") == own(5));
  CHECK(here.slurm.open("p1") == 5);
  CHECK(here.slurm.start("p1", 2));
  CHECK_FALSE(here.slurm.start("p1", 1));
}

TEST_CASE("slurm: cores of completing jobs are in use, and no fence on them is trusted") {
  Cluster here;
  here.look();
  here.run("p1", 5).state = "COMPLETING";
  here.enforce(own(4));
  CHECK(here.load("p1").used == 5);
  CHECK_FALSE(here.slurm.start("p1", 1));
  CHECK(here.cap("p1") == own(4));
  here.slurm.jobs.clear();
  here.look();
  CHECK(here.slurm.open("p1") == 4);
  CHECK(here.load("p1").used == 0);
}

TEST_CASE("slurm: a core that a completing job has left to the next is one slot, not two") {
  Cluster here;
  here.look();
  here.enforce(own(4));
  here.run("p1", 4).state = "COMPLETING";
  here.run("p1", 4);
  CHECK(here.load("p1").used == 4);
}

TEST_CASE("slurm: a fence that a restarted controller forgot is made anew and has to settle") {
  Cluster here;
  here.look();
  here.enforce(own(3));
  here.enforce(imported(1));
  here.slurm.reservations.clear();
  here.restart();
  const View view = here.look();
  CHECK(here.slurm.open("p1") == 3);
  CHECK(here.slurm.open("imp-q1") == 1);
  for (const HostCap& cap : view.caps) CHECK(cap.slots == (cap.imported ? 4 : 8));
  SECTION("it stands once it is asked for again") {
    here.enforce(own(3));
    CHECK(here.cap("p1") == own(3));
  }
  SECTION("or when it has settled") {
    here.time.at_ms += kSlurmSavesWithinMs;
    CHECK(here.cap("p1") == own(3));
  }
}

TEST_CASE("slurm: an older fence that a restarted controller remembers gives way to the last one") {
  Cluster here;
  here.look();
  here.enforce(own(6));
  const auto before = here.slurm.reservations;
  here.enforce(own(3));
  here.slurm.reservations = before;
  here.restart();
  here.look();
  CHECK(here.slurm.open("p1") == 3);
}

TEST_CASE("slurm: a new agent adopts the fences it finds, with what they were made from") {
  Cluster here;
  here.look();
  here.enforce(own(3));
  here.enforce(imported(2));
  here.slurm.called.clear();
  here.open();
  CHECK(here.cap("p1") == own(3));
  CHECK(here.cap("imp-q1") == imported(2));
  CHECK(here.slurm.called.empty());
}

TEST_CASE("slurm: a new agent makes good what the last one had not finished, and opens nothing") {
  Cluster here;
  here.look();
  here.enforce(own(5));
  SECTION("the fence was not set") {
    here.slurm.reservations.clear();
    here.open();
    here.look();
    CHECK(here.slurm.open("p1") == 5);
  }
  SECTION("two stand side by side") {
    auto more = here.slurm.reservations.back();
    more.name = "leasehold-p1-9";
    more.cores = {0, 1, 2, 3, 4};
    here.slurm.reservations.push_back(more);
    here.open();
    here.look();
    CHECK(here.slurm.open("p1") == 3);
    CHECK(here.cap("p1")->slots == 3);
  }
}

TEST_CASE("slurm: a host that is down is closed all the same, and is not up") {
  Cluster here;
  here.slurm.down = "imp-q1";
  here.look();
  CHECK(here.slurm.open("imp-q1") == 0);
  CHECK_FALSE(here.load("imp-q1").up);
  here.enforce(imported(2));  // closed as a whole until it is back
  CHECK(here.slurm.open("imp-q1") == 0);
  here.slurm.down.clear();
  here.look();
  CHECK(here.slurm.open("imp-q1") == 2);
}

TEST_CASE("slurm: a host with a reservation of somebody else is not leased") {
  Cluster here;
  here.slurm.reservations.push_back({"p1", {0, 1, 2, 3, 4, 5, 6, 7}, false, "course"});
  CHECK_FALSE(here.load("p1").up);
  CHECK(here.slurm.reservations.front().name == "course");
  const auto lacking = here.workload->permissions_lacking();
  REQUIRE(lacking);
  REQUIRE(lacking->size() == 1);
  CHECK(lacking->front().find("course") != std::string::npos);
}

TEST_CASE("slurm: what cannot be fenced is told, and tried again") {
  Cluster here;
  here.look();
  here.slurm.fails = 1;
  CHECK_FALSE(here.workload->enforce(std::vector{own(3)}));
  CHECK(here.slurm.open("p1") == 8);
  here.slurm.fails = 1;
  CHECK(here.cap("p1")->slots == 8);
  here.look();
  CHECK(here.slurm.open("p1") == 3);
  CHECK_FALSE(
      here.workload->enforce(std::vector{HostCap{"p9", false, 1, 0, 0, 0, {{1, 0, 1, 1}}, 0}}));
}

TEST_CASE("slurm: nothing that hangs is called while no controller answers") {
  Cluster here;
  here.look();
  here.slurm.up = false;
  here.slurm.called.clear();
  CHECK_FALSE(here.workload->read({}));
  CHECK_FALSE(here.workload->enforce(std::vector{own(3)}));
  CHECK_FALSE(here.workload->end_and_requeue({"1"}));
  CHECK_FALSE(here.workload->interrupt({"1"}, "", 1'000));
  CHECK_FALSE(here.workload->work_units());
  CHECK(here.slurm.called.empty());
}

TEST_CASE("slurm: jobs are told, queued again, or ended where Slurm said that they cannot be") {
  Cluster here;
  const int first = here.run("p1", 1).id;
  const int second = here.run("p1", 1).id;
  here.slurm.no_requeue = {second};
  WorkUnit job{std::to_string(first)};
  WorkUnit final{std::to_string(second)};
  final.requeueable = false;
  REQUIRE(here.workload->interrupt(job, "", 30'000));
  const std::string warning =
      "scontrol notify 1 leasehold: the slots of this job are taken back; it is ended in 30 "
      "seconds ";
  CHECK(here.slurm.called == std::vector<std::string>{warning + "and queued again"});
  REQUIRE(here.workload->interrupt(final, "USR1", 30'000));
  REQUIRE(here.slurm.called.size() == 3);
  CHECK(here.slurm.called[1] == "scancel --signal=USR1 --batch 2");
  CHECK(here.slurm.called[2].ends_with("for good"));
  REQUIRE(here.workload->end_and_requeue(job));
  CHECK(here.slurm.called.back() == "scontrol requeue Incomplete 1");
  REQUIRE(here.workload->end_and_requeue(final));
  CHECK(here.slurm.called.back() == "scancel 2");
  CHECK(here.workload->end_and_requeue({"99"}));  // it is gone: done
}

TEST_CASE("slurm: a requeue that fails, or is not answered in time, is followed by nothing") {
  Cluster here;
  const WorkUnit job{std::to_string(here.run("p1", 1).id)};
  here.slurm.no_requeue = {1};  // since the list was made
  CHECK_FALSE(here.workload->end_and_requeue(job));
  CHECK(here.slurm.called == std::vector<std::string>{"scontrol requeue Incomplete 1"});
  here.slurm.no_requeue.clear();
  here.slurm.no_answer = "scontrol requeue";
  CHECK_FALSE(here.workload->end_and_requeue(job));
  CHECK(here.slurm.called.size() == 2);
  CHECK(here.slurm.jobs.front().state == "COMPLETING");
}

TEST_CASE("slurm: a task of an array is named as one, for its number may mean all of them") {
  Cluster here;
  here.run("p1", 1);
  const WorkUnit task{"1", "1_3"};
  REQUIRE(here.workload->interrupt(task, "USR1", 0));
  REQUIRE(here.workload->end_and_requeue(task));
  CHECK(here.slurm.called[0] == "scancel --signal=USR1 --batch 1_3");
  CHECK(here.slurm.called[1].starts_with("scontrol notify 1 "));
  CHECK(here.slurm.called[2] == "scontrol requeue Incomplete 1_3");
  WorkUnit final = task;
  final.requeueable = false;
  REQUIRE(here.workload->end_and_requeue(final));
  CHECK(here.slurm.called[3] == "scancel 1_3");
}

TEST_CASE("slurm: what became of a job is asked of Slurm as long as that remembers it") {
  Cluster here;
  here.slurm.jobs = {{5, "FAILED", "p1", {}}, {6, "PENDING", "", {}}};
  CHECK(*here.workload->end_of({"5"}) == JobEnd{JobEnd::How::failed, 1});
  CHECK(*here.workload->end_of({"6"}) == JobEnd{JobEnd::How::queued, {}});
  CHECK(*here.workload->end_of({"7"}) == JobEnd{});
  here.slurm.up = false;
  CHECK_FALSE(here.workload->end_of({"5"}));
}

TEST_CASE(
    "slurm: jobs that take turns on the same cores hold them once: 16 used of 8 was a breach") {
  Cluster site;
  site.slurm.settings = "PreemptMode = GANG,SUSPEND\n";
  site.look();
  site.enforce(own(4));
  StandInJob job = site.run("p1", 4);
  job.state = "SUSPENDED";
  job.id = 90;
  site.slurm.jobs.push_back(job);
  CHECK(site.load("p1").used == 4);
  // `scontrol suspend` needs no such mode, and what it resumes runs beside what came meanwhile.
  site.slurm.settings.clear();
  CHECK(site.load("p1").used == 4);
  site.slurm.jobs.back().state = "RUNNING";
  CHECK(site.load("p1").used == 4);
}

TEST_CASE("slurm: jobs that take turns leave the cores that none of them has to a fence") {
  Cluster site;
  site.slurm.settings = "PreemptMode = GANG,SUSPEND\n";
  site.look();
  for (const char* state : {"RUNNING", "SUSPENDED"}) {
    site.slurm.jobs.push_back({state[0], state, "p1", {0, 1, 2, 3}});
  }
  site.enforce(own(5));
  CHECK(site.load("p1").used == 4);
  CHECK(site.slurm.open("p1") == 5);
  CHECK(site.slurm.start("p1", 1));
  CHECK_FALSE(site.slurm.start("p1", 1));
  site.enforce(own(3));  // more is in use than that: nothing starts until enough has ended
  CHECK(site.load("p1").used == 5);
  site.slurm.jobs.pop_back();
  CHECK(site.load("p1").used == 4);
  CHECK_FALSE(site.slurm.start("p1", 1));
}

TEST_CASE("slurm: of own hosts and of borrowed ones it is said whether they may be split") {
  Cluster site;
  const auto says = [&](wire::Division wanted) {
    const View view = site.look();
    REQUIRE(view.hosts.size() == 1);
    CHECK(token(view.hosts[0].division) == token(wanted));
    for (const HostLoad& load : view.loads) CHECK(token(load.division) == token(wanted));
  };
  says(wire::Division::divisible);
  site.slurm.settings = "TaskPlugin = task/affinity\n";
  says(wire::Division::pinned_cores);
}

TEST_CASE("slurm: a look that changes nothing changes nothing") {
  Cluster here;
  here.look();
  here.enforce(own(3));
  here.slurm.called.clear();
  here.open(true);
  here.slurm.reservations.pop_back();
  here.look();
  CHECK(here.slurm.called.empty());
  CHECK_FALSE(here.workload->enforce(std::vector{own(2)}));
}
