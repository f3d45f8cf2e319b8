// The rule `plan`: the broker's core carries out a resource plan between simulated clusters.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/lab/simulate/simulate.hpp"
#include "broker/replay/usage.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/database.hpp"
#include "broker/store/sqlite/store.hpp"
#include "tests/unit/replay/scenario_folder.hpp"

using namespace leasehold;

namespace {

const std::string kClusters = R"(
[[cluster]]
name = "giver"
slots = 0
[[cluster]]
name = "a"
slots = 1
trace = "a.swf"
[[cluster]]
name = "b"
slots = 1
trace = "b.swf"
[[export_policy]]
name = "pool"
provider = "giver"
slots = 4
)";
const std::string kGroup =
    "[[resource_group]]\nname = \"compute\"\npolicies = [\"pool\"]\ncycle = \"10s\"\n";

std::string leaf(const std::string& cluster, const std::string& settings) {
  return "[[consumer]]\npath = \"/lab/" + cluster + "\"\ncluster = \"" + cluster + "\"\n" +
         settings;
}

const std::string kHalves = kGroup + "policy = \"hybrid\"\n" +
                            leaf("a", "owned = 2\nreclaim_grace = \"60s\"\n") +
                            leaf("b", "owned = 2\nreclaim_grace = \"60s\"\n");

/// Cluster a wants 6 slots from the start on, b wants 4 after 100 s.
void write_traces(const Folder& folder) {
  folder.write("a.swf", lines(6, 0, 1000, 1));
  folder.write("b.swf", lines(1, 0, 1, 1) + lines(4, 100, 100, 1));
}

Result<std::vector<RuleOutcome>> run(const Folder& folder, const std::string& simulation,
                                     const std::string& plan, const std::string& rest = kClusters,
                                     std::optional<std::string> database = {}) {
  folder.write("plan.toml", plan);
  const std::string file = folder.write(
      "s.toml", "[simulation]\nuntil = \"1h\"\nplan = \"plan.toml\"\n" + simulation + rest);
  return simulate({file, std::move(database), {}});
}

RuleOutcome outcome(const std::string& simulation, const std::string& plan) {
  const Folder folder;
  write_traces(folder);
  const auto outcomes = run(folder, "compare = [\"plan\"]\n" + simulation, plan);
  if (!outcomes) FAIL(describe(outcomes.error()));
  return outcomes->front();
}

std::string error_of(const std::string& simulation, const std::string& plan,
                     const std::string& rest = kClusters) {
  const Folder folder;
  write_traces(folder);
  const auto outcomes = run(folder, simulation, plan, rest);
  REQUIRE_FALSE(outcomes);
  CHECK(exit_code(outcomes.error().code) == 2);
  return describe(outcomes.error());
}

}  // namespace

// At 0 s 4 slots that nobody holds go to a. At 100 b reclaims the 2 that it owns, whose jobs end at
// 160. At 260 b's work has ended.
TEST_CASE("a simulated plan lends what is idle, reclaims with grace and runs ended work anew") {
  const RuleOutcome out = outcome("", kHalves);
  CHECK(out.rule == simulation_rule("plan"));
  CHECK(out.jobs == 11);
  CHECK(out.flips == 3);
  CHECK(out.slots_moved == 8);
  CHECK(out.clusters[1].wait_mean_s == Approx((260 + 260 + 1000) / 6.0));
  CHECK(out.clusters[2].wait_mean_s == Approx((60 + 60 + 100) / 5.0));
  CHECK(out.makespan_s == 2000);
  REQUIRE(out.consumers.size() == 2);
  CHECK(out.consumers[0].consumer == "/lab/a");
  CHECK(out.consumers[0].resource_group == "compute");
  CHECK(out.consumers[0].cluster == "a");
  CHECK(out.consumers[0].jobs_requeued == 2);
  CHECK(out.consumers[1].jobs_requeued == 0);
  // Cluster a holds 4 from the start on, but 2 from 100 to 260.
  CHECK(out.consumers[0].owned_slot_s + out.consumers[0].borrowed_slot_s == 4 * 2000 - 2 * 160);
  CHECK(out.consumers[1].owned_slot_s == 2 * 160);
}

TEST_CASE("in a simulated plan the provider's work is bound by its leaf, not by what lies idle") {
  const Folder folder;
  write_traces(folder);
  folder.write("a.swf", "");
  folder.write("b.swf", "");
  folder.write("giver.swf", lines(4, 0, 100, 1));
  std::string clusters = kClusters;
  clusters.replace(clusters.find("slots = 0"), 9, "slots = 0\ntrace = \"giver.swf\"");
  const auto outcomes = run(folder, "compare = [\"plan\"]\n",
                            kHalves + leaf("giver", "owned = 0\nlimit = 1\n"), clusters);
  REQUIRE(outcomes);
  CHECK(outcomes->front().makespan_s == 400);  // one after the other, on one of four slots
  CHECK(outcomes->front().slots_moved == 1);
}

TEST_CASE("slots under way in a simulated plan are nobody's for the transfer time") {
  const RuleOutcome out = outcome("transfer_time = \"30s\"\n", kHalves);
  // It is 190 instead of 160, and 290 after b's jobs of 190 end. The first 4 slots were held by
  // nobody before.
  CHECK(out.slots_moved == 8);
  CHECK(out.inactive_slot_seconds == 4 * 30);
  CHECK(out.clusters[2].wait_mean_s == Approx((90 + 90 + 100) / 5.0));
}

TEST_CASE("ownership and share ratio are simulated by the same core") {
  const std::string owned = kGroup + "policy = \"ownership\"\n" +
                            leaf("a",
                                 "owned = 1\nborrow_limit = 1\n"
                                 "borrow_from = [\"/lab/b\"]\n") +
                            leaf("b", "owned = 3\nlend_limit = 2\n");
  const RuleOutcome lent = outcome("", owned);
  CHECK(lent.consumers[0].borrowed_slot_s > 0);
  CHECK(lent.consumers[0].borrowed_slot_s == lent.consumers[1].lent_slot_s);
  const std::string shared = kGroup + "policy = \"share-ratio\"\n" +
                             leaf("a", "share_ratio = 1\n") + leaf("b", "share_ratio = 3\n");
  const RuleOutcome out = outcome("", shared);
  CHECK(out.consumers[0].shared_slot_s > 0);
  CHECK(out.consumers[1].shared_slot_s > 0);
  CHECK(out.consumers[0].owned_slot_s == 0);
}

TEST_CASE("windows of a simulated plan hold at the scenario's time of day") {
  const std::string plan = kGroup + "policy = \"hybrid\"\ntimezone = \"Europe/Berlin\"\n" +
                           leaf("a",
                                "owned = 4\n[[consumer.window]]\nfrom = \"08:01\"\n"
                                "to = \"20:00\"\nowned = 0\n") +
                           leaf("b",
                                "owned = 0\n[[consumer.window]]\nfrom = \"08:01\"\n"
                                "to = \"20:00\"\nowned = 4\n");
  // The jobs of b come at 100 s: more than a minute after the window began, or long before it.
  const RuleOutcome day = outcome("start = \"2026-11-21T08:00:00+01:00\"\n", plan);
  CHECK(day.clusters[2].wait_mean_s == 0);
  CHECK(day.consumers[0].jobs_requeued == 3);
  const RuleOutcome night = outcome("start = \"2026-11-21T02:00:00+01:00\"\n", plan);
  CHECK(night.clusters[2].wait_mean_s > 0);
  CHECK(night.consumers[0].jobs_requeued == 0);
}

TEST_CASE("the history of a simulated plan verifies and its usage is the same") {
  const Folder folder;
  write_traces(folder);
  const std::string database = (folder.path / "run.db").string();
  const auto outcomes = run(folder, "compare = [\"plan\", \"pooled\"]\ntransfer_time = \"7s\"\n",
                            kHalves, kClusters, database);
  REQUIRE(outcomes);
  auto store = open_log(database);
  REQUIRE(store);
  const auto rows = usage_rows(**store, std::nullopt, std::nullopt);
  INFO((rows ? "" : describe(rows.error())));
  REQUIRE(rows);
  REQUIRE(rows->size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    const ConsumerOutcome& consumer = outcomes->front().consumers[i];
    CHECK((*rows)[i]["consumer"] == consumer.consumer);
    CHECK((*rows)[i]["owned_slot_s"] == consumer.owned_slot_s);
    CHECK((*rows)[i]["borrowed_slot_s"] == consumer.borrowed_slot_s);
    CHECK((*rows)[i]["lent_slot_s"] == consumer.lent_slot_s);
  }
  const auto verified = verify(**store);
  REQUIRE(verified);
  CHECK_FALSE(verified->difference);
}

TEST_CASE(
    "usage of a simulated plan is the same to the unit where the end of the run left no event") {
  const Folder folder;
  write_traces(folder);
  // The giver's last job runs on its own slot, and goes on for hours after everything else.
  folder.write("giver.swf", lines(1, 0, 20'000, 1));
  std::string clusters = kClusters;
  clusters.replace(clusters.find("slots = 0"), 9, "slots = 1\ntrace = \"giver.swf\"");
  const std::string database = (folder.path / "run.db").string();
  const auto outcomes = run(folder, "compare = [\"plan\"]\n", kHalves, clusters, database);
  REQUIRE(outcomes);
  REQUIRE(outcomes->front().makespan_s == 20'000);
  auto store = open_log(database);
  REQUIRE(store);
  const auto rows = usage_rows(**store, std::nullopt, std::nullopt);
  if (!rows) FAIL(describe(rows.error()));
  for (size_t i = 0; i < 2; ++i) {
    const ConsumerOutcome& consumer = outcomes->front().consumers[i];
    CHECK((*rows)[i]["owned_slot_s"] == consumer.owned_slot_s);
    CHECK((*rows)[i]["borrowed_slot_s"] == consumer.borrowed_slot_s);
    CHECK((*rows)[i]["lent_slot_s"] == consumer.lent_slot_s);
    CHECK((*rows)[i]["shared_slot_s"] == consumer.shared_slot_s);
  }
}

TEST_CASE("the answer for programs and for people names each consumer of a simulated plan") {
  const RuleOutcome out = outcome("", kHalves);
  const auto json = nlohmann::json::parse(simulate_json({out}));
  REQUIRE(json[0]["consumers"].size() == 2);
  CHECK(json[0]["rule"] == "plan");
  CHECK(json[0]["consumers"][0]["jobs_requeued"] == 2);
  CHECK_THAT(simulate_table({out}), Catch::Contains("JOBS-REQUEUED") && Catch::Contains("/lab/b"));
  RuleOutcome pooled = out;
  pooled.rule = simulation_rule("pooled");
  CHECK_FALSE(nlohmann::json::parse(simulate_json({pooled}))[0].contains("consumers"));
}

TEST_CASE("beside a plan leases are compared where its policies have a distribution") {
  const Folder folder;
  write_traces(folder);
  const std::string lease =
      kClusters + "distribution = [{ cluster = \"a\", shares = 1 }]\ntype = \"shared\"\n";
  const auto outcomes =
      run(folder, "compare = [\"idle-comparison\", \"plan\"]\nreclaim_delay = \"5m\"\n", kHalves,
          lease, (folder.path / "run.db").string());
  REQUIRE(outcomes);
  REQUIRE(outcomes->size() == 2);
  CHECK((*outcomes)[0].consumers.empty());
  CHECK((*outcomes)[1].consumers.size() == 2);
  CHECK((*outcomes)[1].flips == outcome("", kHalves).flips);
  CHECK_THAT(error_of("compare = [\"idle-comparison\", \"plan\"]\n", kHalves),
             Catch::Contains("names no consumer"));
}

TEST_CASE("jobs that a plan never gives enough slots end the simulation with an error") {
  const Folder folder;
  write_traces(folder);
  folder.write("giver.swf", lines(1, 0, 1, 1) + lines(1, 100, 1, 4));
  std::string clusters = kClusters;
  clusters.replace(clusters.find("slots = 0"), 9, "slots = 0\ntrace = \"giver.swf\"");
  const auto outcomes = run(folder, "compare = [\"plan\"]\n",
                            kHalves + leaf("giver", "owned = 0\nlimit = 3\n"), clusters);
  REQUIRE_FALSE(outcomes);
  CHECK_THAT(describe(outcomes.error()), Catch::Contains("1 of cluster 'giver'"));
}

TEST_CASE("a plan that no simulated cluster could carry out is refused with file and line") {
  const std::string plan = "compare = [\"plan\"]\n";
  CHECK_THAT(error_of(plan, kHalves + leaf("z", "owned = 1\n")),
             Catch::Contains("plan.toml:18:11: cluster 'z' is not known"));
  CHECK_THAT(
      error_of(plan,
               "[[resource_group]]\nname = \"g\"\npolicies = [\"pol\"]\npolicy = \"hybrid\"\n" +
                   leaf("a", "owned = 1\n"),
               kClusters + "distribution = [{ cluster = \"a\" }]\n"),
      Catch::Contains("plan.toml:3:13: export policy 'pol' is not known; did you mean"));
  CHECK_THAT(error_of(plan, kGroup + "policy = \"hybrid\"\n" + leaf("a", "queues = [\"night\"]\n")),
             Catch::Contains("plan.toml:9:10: 'queues': a cluster's agent says"));
  CHECK_THAT(error_of(plan, "[broker]\nname = \"x\"\n"),
             Catch::Contains("plan.toml: names no [[resource_group]]"));
  CHECK_THAT(error_of(plan, kGroup + "policy = \"hybrid\"\n" + leaf("a", "owned = -1\n")),
             Catch::Contains("plan.toml:9:9"));
}
