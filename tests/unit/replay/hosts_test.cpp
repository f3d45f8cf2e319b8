// Scenarios whose clusters and policies have several hosts: jobs start where a host has room.
#include "broker/lab/simulate/hosts.hpp"

#include <catch2/catch.hpp>

#include "broker/lab/simulate/simulate.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/database.hpp"
#include "tests/unit/replay/scenario_folder.hpp"

using namespace leasehold;

namespace {

std::string one(int64_t submit, int64_t run, int width) {
  return lines(1, submit, run, width);
}

std::string cluster(const std::string& name, const std::string& slots, const std::string& rest) {
  return "[[cluster]]\nname = \"" + name + "\"\nslots = " + slots + "\n" + rest;
}

/// The taker's trace is taker.swf, and so the giver's.
std::string lease(const std::string& giver, const std::string& taker, const std::string& pool) {
  return cluster("giver", giver, "trace = \"giver.swf\"\n") +
         cluster("taker", taker, "trace = \"taker.swf\"\n") +
         "[[export_policy]]\nname = \"pool\"\nprovider = \"giver\"\nslots = " + pool +
         "\ndistribution = [{ cluster = \"taker\" }]\ntype = \"shared\"\n";
}

std::vector<RuleOutcome> outcomes_of(const Folder& folder, const std::string& simulation,
                                     const std::string& rest,
                                     std::optional<std::string> database = {}) {
  const std::string file =
      folder.write("s.toml", "[simulation]\nuntil = \"1h\"\n" + simulation + rest);
  auto outcomes = simulate({file, std::move(database), {}});
  if (!outcomes) FAIL(describe(outcomes.error()));
  return *outcomes;
}

double wait_s(const RuleOutcome& outcome, size_t cluster) {
  const ClusterOutcome& of = outcome.clusters[cluster];
  return of.wait_mean_s * static_cast<double>(of.jobs);
}

}  // namespace

// Both hosts have a long narrow job and three short ones, the last of which end at 107 s. The job
// of 4 comes at 10 s, and the first host is free at 1000.
TEST_CASE("a job as wide as a host waits for one beside narrow jobs, whatever is free in all") {
  const Folder folder;
  folder.write("a.swf", one(0, 1000, 1) + one(1, 100, 1) + one(2, 100, 1) + one(3, 100, 1) +
                            one(4, 1000, 1) + one(5, 100, 1) + one(6, 100, 1) + one(7, 100, 1) +
                            one(10, 50, 4));
  const auto waits = [&](const std::string& slots, const std::string& backfill) {
    std::vector<double> found;
    const std::string rules = "compare = [\"isolated\", \"idle-comparison\", \"pooled\"]\n";
    for (const RuleOutcome& outcome :
         outcomes_of(folder, rules + backfill, cluster("a", slots, "trace = \"a.swf\"\n"))) {
      found.push_back(wait_s(outcome, 0));
    }
    return found;
  };
  CHECK(waits("8", "") == std::vector<double>(3, 95));
  CHECK(waits("8\nhosts = 1", "") == std::vector<double>(3, 95));
  CHECK(waits("8\nhosts = 2", "") == std::vector<double>(3, 990));
  CHECK(waits("8\nhosts = 2", "backfill = \"easy\"\n") == std::vector<double>(3, 990));
}

TEST_CASE("a job wider than its cluster's hosts lies on as few of them as have its width") {
  const Folder folder;
  // The job of 6 has 3 slots on each of two hosts, which leaves one on each for the jobs of 1, and
  // none for that of 2.
  folder.write("a.swf", one(0, 100, 6) + one(1, 100, 2) + one(2, 10, 1) + one(2, 10, 1));
  const auto outcome = outcomes_of(folder, "compare = [\"isolated\"]\n",
                                   cluster("a", "8\nhosts = 2", "trace = \"a.swf\"\n"))
                           .front();
  CHECK(wait_s(outcome, 0) == 99);
}

// The taker's own host has work until 1000 s, and its job of 1 is on the lease; then it wants a
// host of 8, which the lease does not have. At 400 s the giver has two jobs of 4 on one host each.
TEST_CASE("idle slots on hosts too small for what waits stay where they are by demand alone") {
  const Folder folder;
  folder.write("taker.swf", one(0, 1000, 8) + one(1, 2000, 1) + one(2, 100, 8));
  folder.write("giver.swf", one(0, 1, 1) + one(400, 500, 4) + one(400, 500, 4));
  const auto outcomes = outcomes_of(
      folder, "compare = [\"idle-comparison\", \"demand-aware\"]\nreclaim_delay = \"300s\"\n",
      lease("4", "8", "8\nhosts = 2"));
  const RuleOutcome& idle = outcomes[0];
  const RuleOutcome& demand = outcomes[1];
  CHECK(wait_s(idle, 1) == 998);
  CHECK(wait_s(demand, 1) == 998);
  CHECK(wait_s(idle, 0) == 200);  // until the evaluation at 600 s
  CHECK(wait_s(demand, 0) == 0);
  CHECK(idle.slots_moved > 0);
  CHECK(demand.slots_moved == 0);
}

// The taker's job of 1 holds the first slot of the first leased host, and its own host has work.
// The waiting job wants a host of 4: the second.
TEST_CASE("by demand slots are moved on the host on which what waits fits") {
  const Folder folder;
  folder.write("taker.swf", one(0, 1000, 4) + one(1, 2000, 1) + one(100, 50, 4));
  folder.write("giver.swf", one(0, 1, 1));
  const auto outcome = outcomes_of(folder, "compare = [\"demand-aware\"]\ntransfer_time = \"7s\"\n",
                                   lease("4", "4", "8\nhosts = 2"))
                           .front();
  CHECK(outcome.flips == 1);
  CHECK(outcome.slots_moved == 4);
  CHECK(wait_s(outcome, 1) == 7);
  CHECK(outcome.inactive_slot_seconds == 4 * 7);
}

// The taker's hosts have 4 slots, those of the lease 8: its job of 8 wants 4 on each of two, though
// one of them has 8 free.
TEST_CASE("by demand slots are moved on as many hosts as what waits lies on") {
  const Folder folder;
  folder.write("taker.swf", one(0, 1000, 8) + one(1, 2000, 1) + one(100, 50, 8));
  folder.write("giver.swf", one(0, 1, 1));
  const auto outcome = outcomes_of(folder, "compare = [\"demand-aware\"]\n",
                                   lease("4", "8\nhosts = 2", "16\nhosts = 2"))
                           .front();
  CHECK(outcome.slots_moved == 8);
  CHECK(wait_s(outcome, 1) == 0);
}

// The second of the taker's own hosts has 3 idle slots at 100 s: its job of 6 lacks 3 on one more.
TEST_CASE("by demand what is idle on each own host counts") {
  const Folder folder;
  folder.write("taker.swf", one(0, 5000, 4) + one(1, 20, 4) + one(2, 5000, 1) + one(30, 5000, 1) +
                                one(100, 50, 6));
  folder.write("giver.swf", one(0, 1, 1));
  const auto outcome = outcomes_of(folder, "compare = [\"demand-aware\"]\n",
                                   lease("4", "8\nhosts = 2", "8\nhosts = 2"))
                           .front();
  CHECK(outcome.slots_moved == 3);
  CHECK(wait_s(outcome, 1) == 0);
}

// This is the case above, but the waiting job wants 2, for which the first host has room. Its other
// slot starts the giver's job of 1 while the two are on their way, and the second host starts the
// giver's job of 4.
TEST_CASE("slots of a host in transfer leave the others of it to whoever has them") {
  const Folder folder;
  folder.write("taker.swf", one(0, 1000, 4) + one(1, 2000, 1) + one(100, 50, 2));
  folder.write("giver.swf", one(0, 1000, 4) + one(101, 20, 1) + one(101, 20, 4));
  const auto outcome =
      outcomes_of(folder, "compare = [\"demand-aware\"]\ntransfer_time = \"60s\"\n",
                  lease("4", "4", "8\nhosts = 2"))
          .front();
  CHECK(outcome.slots_moved == 2);
  CHECK(wait_s(outcome, 1) == 60);
  CHECK(wait_s(outcome, 0) == 0);
}

TEST_CASE("a scenario with one host everywhere is the same with the key and without") {
  const Folder folder;
  folder.write("taker.swf", lines(20, 0, 377, 3) + lines(20, 50, 213, 1));
  folder.write("giver.swf", lines(10, 40, 77, 2) + lines(10, 700, 313, 4));
  const std::string rules =
      "compare = [\"isolated\", \"idle-comparison\", \"demand-aware\", \"pooled\"]\n"
      "reclaim_delay = \"60s\"\ntransfer_time = \"7s\"\n";
  for (const std::string backfill : {"first-fit", "easy"}) {
    const std::string all = rules + "backfill = \"" + backfill + "\"\n";
    const auto without = outcomes_of(folder, all, lease("4", "4", "8"));
    const auto with =
        outcomes_of(folder, all, lease("4\nhosts = 1", "4\nhosts = 1", "8\nhosts = 1"));
    CHECK(simulate_json(without) == simulate_json(with));
    const auto several = outcomes_of(folder, all, lease("4", "4", "8\nhosts = 2"));
    CHECK(simulate_json(without) != simulate_json(several));
  }
}

TEST_CASE("the history of a run with several hosts verifies") {
  const Folder folder;
  folder.write("taker.swf", lines(20, 0, 377, 3) + lines(20, 50, 213, 1));
  folder.write("giver.swf", lines(10, 40, 77, 2) + lines(10, 700, 313, 4));
  const std::string database = (folder.path / "run.db").string();
  const auto outcome = outcomes_of(folder, "compare = [\"demand-aware\"]\ntransfer_time = \"7s\"\n",
                                   lease("4\nhosts = 2", "4", "8\nhosts = 2"), database)
                           .front();
  CHECK(outcome.jobs == 60);
  const auto store = open_log(database);
  REQUIRE(store);
  const auto verified = verify(**store);
  REQUIRE(verified);
  CHECK_FALSE(verified->difference);
}

// Jobs of one slot fit wherever a slot is free.
TEST_CASE("for jobs of one slot a plan over hosts comes to what it comes to over one host") {
  const Folder folder;
  folder.write("a.swf", lines(6, 0, 1000, 1));
  folder.write("b.swf", one(0, 1, 1) + lines(4, 100, 100, 1));
  folder.write(
      "plan.toml",
      "[[resource_group]]\nname = \"compute\"\npolicies = [\"pool\"]\ncycle = \"10s\"\n"
      "policy = \"hybrid\"\n"
      "[[consumer]]\npath = \"/a\"\ncluster = \"a\"\nowned = 2\nreclaim_grace = \"60s\"\n"
      "[[consumer]]\npath = \"/b\"\ncluster = \"b\"\nowned = 2\nreclaim_grace = \"60s\"\n");
  const auto outcome = [&](const std::string& slots) {
    return outcomes_of(
               folder, "plan = \"plan.toml\"\ncompare = [\"plan\"]\ntransfer_time = \"7s\"\n",
               cluster("giver", "0", "") + cluster("a", "1", "trace = \"a.swf\"\n") +
                   cluster("b", "1", "trace = \"b.swf\"\n") +
                   "[[export_policy]]\nname = \"pool\"\nprovider = \"giver\"\nslots = " + slots +
                   "\n")
        .front();
  };
  const RuleOutcome single = outcome("4");
  CHECK(single.consumers[0].jobs_requeued == 2);
  CHECK(simulate_json({single}) == simulate_json({outcome("4\nhosts = 2")}));
  CHECK(simulate_json({single}) == simulate_json({outcome("4\nhosts = 4")}));
}

// From 100 s on b owns 2 of the 4 slots and has a job that wants 4 on one host; its own are busy
// until 500. Without hosts agents under a plan tell no shapes.
TEST_CASE("a plan over hosts ends no work for a job that starts on none of them") {
  const Folder folder;
  folder.write("a.swf", lines(6, 0, 1000, 1));
  folder.write("b.swf", one(0, 500, 4) + one(100, 100, 4));
  folder.write("plan.toml",
               "[[resource_group]]\nname = \"compute\"\npolicies = [\"pool\"]\ncycle = \"10s\"\n"
               "policy = \"hybrid\"\n[[consumer]]\npath = \"/a\"\ncluster = \"a\"\nowned = 2\n"
               "[[consumer]]\npath = \"/b\"\ncluster = \"b\"\nowned = 2\n");
  const auto outcome = [&](const std::string& slots, const std::string& history) {
    std::optional<std::string> database;
    if (!history.empty()) database = (folder.path / history).string();
    return outcomes_of(folder, "plan = \"plan.toml\"\ncompare = [\"plan\"]\n",
                       cluster("giver", "0", "") + cluster("a", "1", "trace = \"a.swf\"\n") +
                           cluster("b", "4", "trace = \"b.swf\"\n") +
                           "[[export_policy]]\nname = \"pool\"\nprovider = \"giver\"\nslots = " +
                           slots + "\n",
                       database)
        .front();
  };
  const RuleOutcome single = outcome("4", "");
  CHECK(single.consumers[0].jobs_requeued == 2);
  const RuleOutcome several = outcome("4\nhosts = 2", "");
  CHECK(several.consumers[0].jobs_requeued == 0);
  // A history that is kept changes no answer.
  CHECK(simulate_json({single}) == simulate_json({outcome("4", "single.db")}));
  CHECK(simulate_json({several}) == simulate_json({outcome("4\nhosts = 2", "several.db")}));
}

TEST_CASE("hosts of a scenario have names of their own") {
  Scenario scenario;
  scenario.clusters.resize(2);
  scenario.clusters[0].name = "pool";
  scenario.clusters[1].name = "east";
  scenario.clusters[1].hosts = 2;
  scenario.policies.resize(2);
  scenario.policies[0].name = "pool";
  scenario.policies[0].hosts = 2;
  scenario.policies[1].name = "pool-2";
  const HostNames names = name_hosts(scenario);
  CHECK(names.exported[0] == std::vector<std::string>{"pool-host-1", "pool-host-2"});
  CHECK(names.exported[1] == std::vector<std::string>{"pool-2"});
  CHECK(names.own[0] == std::vector<std::string>{"pool"});
  CHECK(names.own[1] == std::vector<std::string>{"east-1", "east-2"});
}
