// Scenarios in which slots in use are reclaimed for the provider, an agent claims work that does
// not exist, or flips are put off.
#include <catch2/catch.hpp>

#include "broker/lab/simulate/scenario/read_scenario.hpp"
#include "broker/lab/simulate/simulate.hpp"
#include "tests/demand/simulate/watchers.hpp"
#include "tests/unit/replay/scenario_folder.hpp"

using namespace leasehold;

namespace {

/// A giver with one slot of its own and a pool of four, and a taker.
struct Lease {
  std::string simulation = "compare = [\"demand-aware\"]\nreclaim_delay = \"300s\"\n";
  std::string policy;
  int taker_slots = 1;
  std::vector<study::Claim> claims = {};
  std::optional<study::Calming> calming = {};

  std::string text() const {
    return "[simulation]\n" + simulation +
           "until = \"1h\"\n[[cluster]]\nname = \"giver\"\nslots = 1\ntrace = \"giver.swf\"\n"
           "[[cluster]]\nname = \"taker\"\nslots = " +
           std::to_string(taker_slots) +
           "\ntrace = \"taker.swf\"\n[[export_policy]]\nname = \"pool\"\nprovider = "
           "\"giver\"\nslots = 4\n"
           "distribution = [{ cluster = \"taker\", shares = 1 }]\ntype = \"shared\"\n" +
           policy;
  }
};

RuleOutcome outcome_of(const Folder& folder, const Lease& lease) {
  Result<Scenario> scenario = read_scenario(folder.write("s.toml", lease.text()));
  if (!scenario) FAIL(describe(scenario.error()));
  study::Claiming claiming(*scenario, lease.claims);
  std::optional<study::Calming> calming = lease.calming;
  if (calming) scenario->compare = {study::kCalm};
  SimulateOptions options;
  options.watcher = [&](const SimulationRule&) -> Watcher* {
    if (calming) return &*calming;
    return lease.claims.empty() ? nullptr : &claiming;
  };
  const auto simulation = simulate_scenario(*scenario, options);
  if (!simulation) FAIL(describe(simulation.error()));
  return simulation->runs.front().front();
}

std::string error_of(const Folder& folder, const Lease& lease) {
  const auto outcomes = simulate({folder.write("s.toml", lease.text()), {}, {}});
  REQUIRE_FALSE(outcomes);
  CHECK(exit_code(outcomes.error().code) == 2);
  return describe(outcomes.error());
}

double wait_s(const RuleOutcome& outcome, size_t cluster) {
  const ClusterOutcome& of = outcome.clusters[cluster];
  return of.wait_mean_s * static_cast<double>(of.jobs);
}

/// The taker's five jobs of 1000 s use all slots except the giver's own, which is busy from 99 s
/// on. Another job of the giver comes at 100. The giver's first job makes the trace begin at 0.
void write_busy(const Folder& folder) {
  folder.write("taker.swf", lines(5, 0, 1000, 1));
  folder.write("giver.swf", lines(1, 0, 1, 1) + lines(1, 99, 2000, 1) + lines(1, 100, 50, 1));
}

}  // namespace

TEST_CASE("without provider_first the provider's job waits until the consumer's ends") {
  const Folder folder;
  write_busy(folder);
  const RuleOutcome out = outcome_of(folder, {});
  CHECK(out.jobs == 8);
  CHECK(wait_s(out, 0) == 900);  // from 100 to 1000
  CHECK(wait_s(out, 1) == 0);
  CHECK(out.jobs_requeued == 0);
  CHECK(out.requeued_slot_seconds == 0);
}

// At 300 s the evaluation reclaims one slot: the job that started last has 60 s, and ends at 360.
TEST_CASE("provider_first: work has the grace, then ends and begins again") {
  const Folder folder;
  write_busy(folder);
  Lease lease;
  lease.policy = "provider_first = true\nreclaim_grace = \"60s\"\n";
  SECTION("slots arrive at once") {
    const RuleOutcome out = outcome_of(folder, lease);
    CHECK(wait_s(out, 0) == 260);
    CHECK(out.jobs_requeued == 1);
    CHECK(out.requeued_slot_seconds == 360);
    CHECK(wait_s(out, 1) == 410);             // it has the slot again when the giver's job ends
    CHECK(out.slots_moved == 3 + 1 + 1 + 4);  // once they are idle, all go home
    CHECK(out.flips == 5);
  }
  SECTION("slots take 10 s, there and back; the last three jobs start at 10") {
    lease.simulation += "transfer_time = \"10s\"\n";
    const RuleOutcome out = outcome_of(folder, lease);
    CHECK(wait_s(out, 0) == 270);
    CHECK(out.requeued_slot_seconds == 350);
    CHECK(wait_s(out, 1) == 10 + 10 + 430);
    CHECK(out.inactive_slot_seconds == 90);
  }
}

TEST_CASE("provider_first: a job that ends within the grace loses nothing") {
  const Folder folder;
  write_busy(folder);
  folder.write("taker.swf", lines(5, 0, 330, 1));
  Lease lease;
  lease.policy = "provider_first = true\nreclaim_grace = \"60s\"\n";
  const RuleOutcome out = outcome_of(folder, lease);
  CHECK(wait_s(out, 0) == 230);
  CHECK(out.jobs_requeued == 0);
}

// At 0 three slots go to the taker, which has no job for them; at 60 s they come back.
TEST_CASE("work that is not there is given slots, and they go back when nothing has run on them") {
  const Folder folder;
  folder.write("taker.swf", lines(2, 0, 5000, 1));
  folder.write("giver.swf", lines(1, 0, 2000, 1) + lines(1, 10, 50, 1));
  Lease lease;
  CHECK(wait_s(outcome_of(folder, lease), 0) == 0);
  SECTION("single slots") {
    lease.claims = {{"taker", 1000}};
    const RuleOutcome out = outcome_of(folder, lease);
    CHECK(wait_s(out, 0) == 50);
    // It happens again after a delay, then after two, four and eight: 0, 360, 1020, 2280, 4740 s.
    CHECK(out.slots_unused == 5 * 3);
  }
  SECTION("another shape each time backs off for itself alone") {
    folder.write("taker.swf", lines(5, 0, 290, 1));
    lease.taker_slots = 4;
    lease.claims = {{"taker", 1000, 1, 60'000}};
    const RuleOutcome out = outcome_of(folder, lease);
    CHECK(wait_s(out, 0) == 50);
    // Three slots go at 0 for single slots, then those for other shapes: a grant that another one
    // replaced is judged, too.
    CHECK(out.slots_unused == 6);
  }
}

TEST_CASE("flips are put off where few slots would move, and for a time after each") {
  const Folder folder;
  folder.write("taker.swf", lines(6, 0, 1000, 1));
  folder.write("giver.swf", lines(1, 0, 1, 1));
  const auto flips = [&](int64_t min_hold_ms, int64_t dead_zone) {
    Lease lease;
    lease.calming.emplace(min_hold_ms, dead_zone);
    return outcome_of(folder, lease).flips;
  };
  CHECK(flips(1'000, 0) == 4);
  CHECK(flips(0, 2) == 3);
  CHECK(flips(1'200'000, 0) == 2);
  CHECK(flips(0, 4) == 0);
}

TEST_CASE("mistakes about provider_first are named") {
  const Folder folder;
  write_busy(folder);
  const auto with = [](const std::string& simulation, const std::string& policy) {
    return Lease{simulation, policy};
  };
  const std::string lsf = "compare = [\"idle-comparison\"]\n";
  const std::string demand = "compare = [\"demand-aware\"]\n";
  CHECK_THAT(error_of(folder, with(lsf, "provider_first = true\n")),
             Catch::Contains("only the rule 'demand-aware' knows provider_first"));
  CHECK_THAT(error_of(folder, with(demand, "reclaim_grace = \"1m\"\n")),
             Catch::Contains("nothing is reclaimed from a lease but with provider_first"));
}
