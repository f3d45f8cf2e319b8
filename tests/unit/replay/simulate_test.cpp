#include "broker/lab/simulate/simulate.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "broker/lab/simulate/outcome/measure.hpp"
#include "tests/unit/replay/scenario_folder.hpp"

using namespace leasehold;

namespace {

const std::string kLease = R"(
[[cluster]]
name = "giver"
slots = 1
[[cluster]]
name = "taker"
slots = 1
trace = "taker.swf"
[[export_policy]]
name = "pool"
provider = "giver"
slots = 4
distribution = [{ cluster = "taker", shares = 1 }]
type = "shared"
)";

Result<std::vector<RuleOutcome>> run(const Folder& folder, const std::string& simulation,
                                     const std::string& rest) {
  return simulate({folder.write("s.toml", "[simulation]\n" + simulation + rest), {}, {}});
}

RuleOutcome lease_outcome(const std::string& transfer_time) {
  const Folder folder;
  folder.write("taker.swf", lines(6, 0, 1000, 1));
  const auto outcomes = run(folder,
                            "compare = [\"idle-comparison\"]\nreclaim_delay = \"300s\"\n"
                            "transfer_time = \"" +
                                transfer_time + "\"\n",
                            kLease);
  REQUIRE(outcomes);
  REQUIRE(outcomes->size() == 1);
  return outcomes->front();
}

std::string error_of(const Folder& folder, const std::string& simulation, const std::string& rest) {
  const auto outcomes = run(folder, simulation, rest);
  REQUIRE_FALSE(outcomes);
  return describe(outcomes.error());
}

}  // namespace

// Six jobs of 1000 s wait for one own slot and one leased slot; the giver idles.
TEST_CASE("an evaluation gives the consumer all idle slots, and they swing back when it idles") {
  const RuleOutcome out = lease_outcome("0s");
  CHECK(out.jobs == 6);
  // At 300 s 3 go to the taker. At 1200 its 1 idle slot goes to the giver, at 1500 3 more. At 1800
  // 4 go to the taker.
  CHECK(out.flips == 4);
  CHECK(out.slots_moved == 11);
  CHECK(out.wait_mean_s == Approx((3 * 300 + 1000) / 6.0).epsilon(0).margin(1e-12));
  CHECK(out.wait_p95_s == 1000);
  CHECK(out.makespan_s == 2000);
  CHECK(out.utilization == 6.0 * 1000 / (6 * 2000));
  CHECK(out.bounded_slowdown_mean == (2 * 1.0 + 3 * 1.3 + 2.0) / 6);
  CHECK(out.inactive_slot_seconds == 0);
}

TEST_CASE("slots in transfer are nobody's, and an evaluation due meanwhile is skipped") {
  const RuleOutcome out = lease_outcome("400s");
  // At 300 s 3 go, and arrive at 700. At 1200 1 goes back and arrives at 1600, at 1800 3 more.
  CHECK(out.flips == 3);
  CHECK(out.slots_moved == 7);
  CHECK(out.inactive_slot_seconds == 7 * 400);
  CHECK(out.wait_mean_s == (3 * 700 + 1000) / 6.0);
  CHECK(out.makespan_s == 2000);
}

TEST_CASE("slots that arrive at the instant of an evaluation have arrived before it") {
  const RuleOutcome out = lease_outcome("300s");
  // At 300 s 3 go, at 1200 1 comes back, at 1500 1 goes to the taker, at 1800 4 come back.
  CHECK(out.flips == 4);
  CHECK(out.slots_moved == 9);
  CHECK(out.inactive_slot_seconds == 9 * 300);
  CHECK(out.wait_mean_s == (3 * 600 + 1000) / 6.0);
}

TEST_CASE("demand-aware moves what waiting work lacks, at once, and leaves it there") {
  const Folder folder;
  folder.write("taker.swf", lines(6, 0, 1000, 1));
  const auto outcomes =
      run(folder, "compare = [\"demand-aware\"]\nreclaim_delay = \"300s\"\n", kLease);
  REQUIRE(outcomes);
  const RuleOutcome& out = outcomes->front();
  CHECK(out.rule == simulation_rule("demand-aware"));
  CHECK(out.jobs == 6);
  CHECK(out.flips == 1);
  CHECK(out.slots_moved == 3);  // at 0; the sixth job waits for one of the first five
  CHECK(out.wait_mean_s == Approx(1000 / 6.0).epsilon(0).margin(1e-12));
  CHECK(out.makespan_s == 2000);
}

TEST_CASE("isolated keeps exports at home, pooled uses every slot") {
  const Folder folder;
  folder.write("taker.swf", lines(6, 0, 1000, 1));
  const auto outcomes = run(folder, "compare = [\"pooled\", \"isolated\"]\n", kLease);
  REQUIRE(outcomes);
  REQUIRE(outcomes->size() == 2);
  const RuleOutcome& pooled = (*outcomes)[0];
  const RuleOutcome& isolated = (*outcomes)[1];
  CHECK(pooled.rule == simulation_rule("pooled"));
  CHECK(pooled.wait_mean_s == 0);
  CHECK(pooled.makespan_s == 1000);
  CHECK(pooled.utilization == 1.0);
  CHECK(isolated.wait_mean_s == 2500);
  CHECK(isolated.makespan_s == 6000);
  CHECK(isolated.flips == 0);
  REQUIRE(isolated.clusters.size() == 2);
  CHECK(isolated.clusters[0].jobs == 0);
  CHECK(isolated.clusters[1].wait_mean_s == 2500);
}

TEST_CASE("an exclusive policy gives the consumer all slots from the start") {
  const Folder folder;
  folder.write("taker.swf", lines(6, 0, 1000, 1));
  std::string exclusive = kLease;
  exclusive.replace(exclusive.find("\"shared\""), 8, "\"exclusive\"");
  const auto outcomes = run(folder, "compare = [\"idle-comparison\"]\n", exclusive);
  REQUIRE(outcomes);
  CHECK(outcomes->front().flips == 0);
  CHECK(outcomes->front().wait_mean_s == 1000 / 6.0);  // five at once, one after 1000 s
}

TEST_CASE(
    "arrivals after until are dropped, jobs counts before that, skipped ends with the last kept") {
  const Folder folder;
  folder.write("taker.swf", "1 0 -1 0 1\n" + lines(1, 5, 10, 1) + lines(1, 6, 10, 2) +
                                lines(1, 15, 10, 1) + lines(1, 16, 10, 1) + lines(1, 16, 0, 1));
  const std::string limited = kLease + "[[cluster]]\nname = \"more\"\nslots = 1\n";
  const auto all = run(folder, "compare = [\"pooled\"]\n", limited);
  REQUIRE(all);
  CHECK(all->front().jobs == 3);
  CHECK(all->front().skipped == 2);  // no run time; too wide; the last line is after the last kept
  CHECK(all->front().dropped.jobs == 0);
  const auto some = run(folder, "compare = [\"pooled\"]\nuntil = \"10s\"\n", limited);
  REQUIRE(some);
  CHECK(some->front().jobs == 2);  // arrivals 0 and 10 s, not 11 s
  CHECK(some->front().skipped == 2);
  CHECK(some->front().dropped.jobs == 1);
  CHECK_THAT(simulate_table(*some), Catch::Contains("1 job was left out: it arrives after 10s"));
}

TEST_CASE("jobs after the end of the shortest trace were dropped without a word") {
  const Folder folder;
  folder.write("taker.swf", lines(1, 0, 10, 1) + lines(1, 60, 10, 1) + lines(2, 61, 10, 1));
  folder.write("short.swf", lines(1, 0, 10, 1) + lines(1, 60, 10, 1));
  const std::string both =
      kLease + "[[cluster]]\nname = \"short\"\nslots = 1\ntrace = \"short.swf\"\n";
  const auto outcomes = run(folder, "compare = [\"isolated\", \"pooled\"]\n", both);
  REQUIRE(outcomes);
  for (const RuleOutcome& outcome : *outcomes) CHECK(outcome.dropped.jobs == 2);
  CHECK_THAT(simulate_json(*outcomes), Catch::Contains("\"dropped\": 2"));
  CHECK_THAT(simulate_table(*outcomes),
             Catch::Contains("2 jobs were left out: they arrive after 1m, where the trace of short "
                             "ends, the first that does"));
}

// There are ten slots. The first job has 6 until 100 s, the second wants 8; the third wants 4, runs
// for 100 s and has asked for 150 s: first-fit starts it at once, which costs the second nothing,
// but that is not known in advance; the fourth wants 2 and has asked for no more time than it
// needs.
TEST_CASE("with EASY backfilling the limits of a trace decide what may start before its turn") {
  const Folder folder;
  folder.write("a.swf",
               "1 0 -1 100 6 -1 -1 6 100\n2 1 -1 10 8 -1 -1 8 10\n3 2 -1 98 4 -1 -1 4 150\n"
               "4 3 -1 500 2\n");
  const std::string cluster = "[[cluster]]\nname = \"a\"\nslots = 10\ntrace = \"a.swf\"\n";
  const auto waits = [&](const std::string& keys) {
    const auto outcomes =
        run(folder, "compare = [\"isolated\", \"idle-comparison\", \"pooled\"]\n" + keys, cluster);
    REQUIRE(outcomes);
    std::vector<double> found;
    for (const RuleOutcome& outcome : *outcomes) found.push_back(outcome.wait_mean_s * 4);
    return found;
  };
  // The second job waits 99 s, until 100. By first-fit the third waits 0, and the fourth until 100
  // s, beside the second.
  CHECK(waits("backfill = \"first-fit\"\n") == std::vector<double>(3, 99 + 97));
  CHECK(waits("") == waits("backfill = \"first-fit\"\n"));
  // The third starts at 110 s, because at 100 s the second takes 8, and the fourth has had 2 since
  // it came.
  CHECK(waits("backfill = \"easy\"\n") == std::vector<double>(3, 99 + 108));
}

TEST_CASE("equal scenarios give equal answers") {
  const Folder folder;
  folder.write("taker.swf", lines(40, 0, 77, 1) + lines(40, 50, 13, 1));
  const std::string settings = "transfer_time = \"3s\"\nreclaim_delay = \"10s\"\n";
  const auto a = run(folder, settings, kLease);
  const auto b = run(folder, settings, kLease);
  REQUIRE(a);
  REQUIRE(b);
  CHECK(simulate_json(*a) == simulate_json(*b));
  CHECK((*a)[1].flips > 0);
}

TEST_CASE("jobs that can never start are said, not waited for") {
  const Folder folder;
  folder.write("giver.swf", lines(1, 0, 10, 8));
  const std::string scenario = R"(
[[cluster]]
name = "giver"
slots = 0
trace = "giver.swf"
[[cluster]]
name = "taker"
slots = 1
[[export_policy]]
name = "pool"
provider = "giver"
slots = 8
distribution = [{ cluster = "taker" }]
type = "shared"
)";
  CHECK_THAT(error_of(folder, "compare = [\"idle-comparison\"]\n", scenario),
             Catch::Contains("1 of cluster 'giver'") && Catch::Contains("slots of its own"));
}

TEST_CASE("a history needs a rule with a broker") {
  const Folder folder;
  folder.write("taker.swf", lines(1, 0, 10, 1));
  const std::string path =
      folder.write("s.toml", "[simulation]\ncompare = [\"pooled\"]\n" + kLease);
  const auto outcomes = simulate({path, (folder.path / "x.db").string(), {}});
  REQUIRE_FALSE(outcomes);
  CHECK(exit_code(outcomes.error().code) == 2);
}

TEST_CASE("a run through the store is the run without it") {
  const Folder folder;
  folder.write("taker.swf", lines(60, 0, 77, 1) + lines(60, 900, 13, 1));
  const std::string path =
      folder.write("s.toml", "[simulation]\nreclaim_delay = \"20s\"\n" + kLease);
  const auto plain = simulate({path, {}, {}});
  const auto kept = simulate({path, (folder.path / "x.db").string(), {}});
  REQUIRE(plain);
  REQUIRE(kept);
  CHECK(simulate_json(*plain) == simulate_json(*kept));
  CHECK(std::filesystem::file_size(folder.path / "x.db") > 10'000);
  CHECK_FALSE(simulate({path, (folder.path / "x.db").string(), {}}));  // it is there already
}

TEST_CASE("progress goes up to the number of jobs times the number of rules") {
  const Folder folder;
  folder.write("taker.swf", lines(50, 0, 10, 1));
  int64_t last = -1;
  const auto outcomes = simulate(
      {folder.write("s.toml", "[simulation]\n" + kLease), {}, [&last](int64_t done, int64_t total) {
         CHECK(done >= last);
         CHECK(total == 150);
         last = done;
       }});
  REQUIRE(outcomes);
  CHECK(last == 150);
}

TEST_CASE("a quotient is the nearest double, however large its parts") {
  CHECK(quotient(1, 3) == 1.0 / 3);
  CHECK(quotient(0, 0) == 0);
  CHECK(quotient(100'000, 1000) == 100);
  const Wide large = static_cast<Wide>(9'007'199'254'740'993) * 1'000'003;  // (2^53 + 1) * d
  CHECK(quotient(large, 1'000'003) == 9007199254740992.0);                  // a tie: to even
  CHECK(quotient(large + 1, 1'000'003) == 9007199254740994.0);
}

TEST_CASE("every mistake of a scenario is named with its line, with exit code 2") {
  struct Row {
    std::string simulation;
    std::string rest;
    std::string message;
  };
  const std::string cluster = "[[cluster]]\nname = \"a\"\nslots = 4\ntrace = \"a.swf\"\n";
  const std::string policy = "[[export_policy]]\nname = \"p\"\nprovider = \"a\"\nslots = 2\n";
  const Row rows[] = {
      {"compare = [\"plan\"]\n", cluster, "s.toml:2:11: rule 'plan' needs a resource plan"},
      {"compare = [\"poled\"]\n", cluster, "rule 'poled' is not known; there are isolated"},
      {"compare = [\"pooled\", \"pooled\"]\n", cluster, "twice"},
      {"compare = []\n", cluster, "compare names no rule"},
      {"plan = \"x.toml\"\n", cluster, "x.toml: cannot be read"},
      {"plan = \"x.toml\"\ncompare = [\"pooled\"]\n", cluster,
       "s.toml:2:8: only the rule 'plan' uses a plan"},
      {"start = \"2026-11-21T00:00:00Z\"\n", cluster, "s.toml:2:9: only the windows of a plan"},
      {"plan = \"x.toml\"\nstart = \"noon\"\n", cluster, "s.toml:3:9: 'start' is no time"},
      {"plan = \"x.toml\"\nstart = \"-2h\"\n", cluster, "s.toml:3:9: 'start' is no time"},
      {"reclaim_delay = \"0s\"\n", cluster, "s.toml:2"},
      {"reclaim_dely = \"5m\"\n", cluster, "did you mean 'reclaim_delay'"},
      {"until = 5\n", cluster, "s.toml:2"},
      {"backfill = \"fast\"\n", cluster, "first-fit"},
      {"", "", "there is no [[cluster]]"},
      {"", "[[cluster]]\nname = \"a\"\nslots = 4\n", "no cluster has a trace"},
      {"", cluster + cluster, "cluster 'a' is defined twice"},
      {"", cluster + "load = 0\n", "s.toml:6"},
      {"", cluster + "jobs = 0\n", "s.toml:6"},
      {"", "[[cluster]]\nname = \"a\"\ntrace = \"a.swf\"\n", "slots is missing"},
      {"", cluster + "hosts = 3\n", "s.toml:6:9: 4 slots cannot be spread evenly over 3 hosts"},
      {"", cluster + "hosts = 0\n", "s.toml:6"},
      {"", cluster + policy + "hosts = 4\n", "2 slots cannot be spread evenly over 4 hosts"},
      {"", cluster + policy, "names no consumer"},
      {"", cluster + policy + "distribution = [{ cluster = \"b\" }]\n",
       "no [[cluster]] is named 'b'"},
      {"", cluster + policy + "distribution = [{ cluster = \"a\" }]\n", "names no consumer"},
      {"", cluster + policy + "rule = \"demand-aware\"\ntype = \"shared\"\n", "idle-comparison"},
      {"", "[[cluster]\n", "s.toml:2"},
  };
  const Folder folder;
  folder.write("a.swf", lines(1, 0, 1, 1));
  for (const Row& row : rows) {
    CAPTURE(row.simulation, row.rest);
    const auto outcomes = run(folder, row.simulation, row.rest);
    REQUIRE_FALSE(outcomes);
    CHECK(exit_code(outcomes.error().code) == 2);
    CHECK_THAT(describe(outcomes.error()), Catch::Contains(row.message));
  }
}

TEST_CASE("a wrong line of a trace is an error of the trace") {
  const Folder folder;
  folder.write("taker.swf", "1 0 -1 10 1\n1 0 -1 ten 1\n");
  CHECK_THAT(error_of(folder, "", kLease), Catch::Contains("taker.swf:2: field 4 (run time)"));
}

// The lease beside it was never made, so its provider lacks a slot for ever; the other one swings
// each minute between two idle sides. The run did not end.
TEST_CASE("jobs that no evaluation will start are told also while other slots swing for ever") {
  const Folder folder;
  folder.write("ash.swf", lines(1, 0, 100, 1) + lines(1, 500, 100, 8) + lines(1, 1000, 1, 1));
  folder.write("cedar.swf", lines(2, 0, 100, 1) + lines(1, 1000, 1, 1));
  std::string rest;
  for (const char* cluster : {"\"ash\"\nslots = 0\ntrace = \"ash.swf\"", "\"birch\"\nslots = 1",
                              "\"cedar\"\nslots = 1\ntrace = \"cedar.swf\""}) {
    rest += std::string("[[cluster]]\nname = ") + cluster + "\n";
  }
  for (const char* provider : {"birch", "ash"}) {
    rest += std::string("[[export_policy]]\nname = \"of-") + provider + "\"\nprovider = \"" +
            provider + "\"\nslots = 8\ntype = \"shared\"\n" +
            "distribution = [{ cluster = \"cedar\", shares = 1 }]\n";
  }
  const std::string error = error_of(
      folder,
      "compare = [\"idle-comparison\"]\nreclaim_delay = \"1m\"\ntransfer_time = \"250ms\"\n", rest);
  CHECK(error.find("1 of cluster 'ash'") != std::string::npos);
}
