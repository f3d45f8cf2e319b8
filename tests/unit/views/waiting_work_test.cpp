// explain of a cluster: by shape and by lease, what keeps its waiting work from starting, and what
// would change that.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/explain/others.hpp"
#include "tests/unit/core/plan/site.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

wire::DemandBucket job_of(int32_t slots, int64_t oldest_ms = 0) {
  wire::DemandBucket job;
  job.slots_per_host = slots;
  job.jobs = 1;
  job.slots = slots;
  job.oldest_ms = oldest_ms;
  return job;
}

void waits(State& state, const std::string& cluster, const wire::DemandBucket& job) {
  Cluster& of = state.clusters[find_cluster(state, cluster)];
  of.demand = wire::Demand{job};
  of.pending = job.slots;
}

/// The obstacle of the only bucket that is nearest to a start.
struct Nearest {
  std::string obstacle;
  std::string sentence;
  std::string change;  // the first thing that would change anything; "": nothing would
  std::string work;
  std::string of;
};

Nearest nearest(const State& state, const std::string& cluster) {
  const Json answer = view_explain_any(state, cluster, site::liveness()).value();
  REQUIRE(answer["waiting"].size() == 1);
  REQUIRE_FALSE(answer["waiting"][0]["obstacles"].empty());
  const Json& first = answer["waiting"][0]["obstacles"][0];
  const Json& changes = first["would_change"];
  if (!changes.empty()) {
    const std::string line = first["of"].get<std::string>() + ": " + changes[0].get<std::string>();
    CHECK(answer["would_change"][0] == line);
  }
  return {first["obstacle"], first["sentence"], changes.empty() ? "" : changes[0],
          answer["work"][0], first["of"]};
}

void by_demand(State& state) {
  state.policies[0].config.rule = RuleKind::demand_aware;
}

}  // namespace

TEST_CASE("explain of a cluster says which change moves idle slots to work that they start") {
  State state = site::state();  // east has an idle slot of pool, west none
  waits(state, "west", job_of(1));
  Nearest found = nearest(state, "west");
  CHECK(found.of == "pool:west");
  CHECK(found.obstacle == "idle-of-other");
  CHECK(found.sentence ==
        "1 idle slot of east would start it; the rule compares idle slots alone, whoever waits, at "
        "the evaluation at 2026-11-21T18:10:00.000Z");
  CHECK(found.change ==
        "rule = \"demand-aware\" in policy pool, then leasectl reload: slots go to work that they "
        "start");
  by_demand(state);
  found = nearest(state, "west");
  CHECK(found.sentence ==
        "1 idle slot of east would start it; the rule decides on them at the evaluation at "
        "2026-11-21T18:10:00.000Z");
  CHECK(found.change.empty());
}

TEST_CASE("explain of a cluster says until when work waits that left slots unused") {
  State state = site::state();
  waits(state, "west", job_of(1));
  by_demand(state);
  state.slot_groups[0].demand.emplace().back_offs = {
      {kConsumer, {1, 1, 1, false}, site::kNoon + 600'000, 1}};
  const Nearest found = nearest(state, "west");
  CHECK(found.obstacle == "unused-before");
  CHECK(found.sentence ==
        "such work left slots unused that it was given: it gets none before "
        "2026-11-21T18:10:00.000Z");
}

TEST_CASE(
    "explain of a cluster says until when all its work waits, and when slots elsewhere start it") {
  State state = site::state();
  waits(state, "west", job_of(1));
  by_demand(state);
  demand_aware::Ledger& known = state.slot_groups[0].demand.emplace();
  SECTION("one kind after another left slots unused") {
    known.in_vain.until = site::kNoon + 600'000;
    CHECK(nearest(state, "west").sentence ==
          "one kind of work after another left slots unused that it was given: it gets none before "
          "2026-11-21T18:10:00.000Z");
  }
  SECTION("another lease has given slots for it") {
    state.slot_groups.push_back(state.slot_groups[0]);
    state.clusters[find_cluster(state, "west")].slot_groups.push_back(
        static_cast<uint32_t>(state.slot_groups.size() - 1));
    state.slot_groups.back().demand->grant = {kConsumer, 1, 1, site::kNoon, {{1, 1, 1}}};
    CHECK(nearest(state, "west").sentence ==
          "1 idle slot of east would start it; it has been given slots elsewhere, which are to "
          "start it by 2026-11-21T18:01:00.000Z");
  }
}

TEST_CASE("explain of a cluster does not blame its manager for work that its slots do not start") {
  State state = site::state({2, 2, 2, 0});
  wire::DemandBucket job = job_of(2);
  waits(state, "west", job);
  CHECK(nearest(state, "west").obstacle == "not-started");
  CHECK_THAT(nearest(state, "west").work, Catch::Contains("ask the workload manager why"));
  job.host_types = {"AIX"};
  waits(state, "west", job);
  Nearest found = nearest(state, "west");
  CHECK(found.work ==
        "1 job waits for 2 slots on one host: pool:west: no host of pool:west is of type AIX");
  CHECK(found.change == "a host of type AIX in policy pool, then leasectl reload");
  job = job_of(2);
  job.hosts = 2;
  job.slots = 4;
  waits(state, "west", job);
  found = nearest(state, "west");
  CHECK(found.obstacle == "hosts-few");
  CHECK_THAT(found.work, Catch::EndsWith("it needs 2 hosts with 2 slots each: pool:west has 1"));
  CHECK(found.change == "1 host more with 2 slots in policy pool, then leasectl reload");
}

TEST_CASE("explain of a cluster names the width that no host of a lease has") {
  State state = site::state();
  waits(state, "west", job_of(6));
  const Nearest found = nearest(state, "west");
  CHECK(found.sentence == "no host of pool:west has 6 slots: the largest has 4");
  CHECK(found.change ==
        "slots_per_host = 6 or more in policy pool, on hosts that have as many, then leasectl "
        "reload");
}

TEST_CASE("explain of a cluster says how many first slots would make its lease") {
  State state = site::state({3, 2, 1, 0});
  state.slot_groups[0].phase = Phase::offered;
  state.slot_groups[0].reason = Reason::not_made;
  waits(state, "west", job_of(2));
  const Nearest found = nearest(state, "west");
  CHECK(found.obstacle == "offer-too-small");
  CHECK(found.sentence ==
        "the lease is not made yet, and the 1 slot offered first does not start it");
  CHECK(found.change == "initial_slots = 2 in policy pool, then leasectl reload");
}

TEST_CASE("explain of a provider says whether what it has lent comes back for its work") {
  State state = site::state({2, 1, 2, 2});  // lent 2 of 4, both in use; 1 is idle at home
  waits(state, "east", job_of(3, site::kNoon.ms));
  Nearest found = nearest(state, "east");
  CHECK(found.obstacle == "in-use");
  CHECK(found.work ==
        "1 job waits for 3 slots on one host, the oldest since 2026-11-21T18:00:00.000Z: "
        "pool:west: it lacks slots in use, of west or its own: the rule brings back none that are "
        "in use for it");
  CHECK_THAT(found.change, Catch::StartsWith("rule = \"demand-aware\" in policy pool"));
  by_demand(state);
  found = nearest(state, "east");
  CHECK_THAT(found.sentence, Catch::EndsWith("lent ones come back as work on them ends, from "
                                             "2026-11-21T20:00:00.000Z on"));
  CHECK(found.change.empty());
  state.policies[0].config.provider_first = true;
  CHECK_THAT(nearest(state, "east").sentence,
             Catch::EndsWith("lent ones are reclaimed for it at the evaluation at "
                             "2026-11-21T18:10:00.000Z"));
}

TEST_CASE("explain of a leaf's cluster names its limit, its quota, or hosts that are too small") {
  using namespace leasehold::test;
  Plan limited = plan_of({{"/A", "west", 0}, {"/B", "north", 0}});
  limited.consumers[0].limit = 2;
  State state = PlanSite(limited, 1, 4).state;
  waits(state, "west", job_of(4));
  Nearest found = nearest(state, "west");
  CHECK(found.of == "/A");
  CHECK(found.obstacle == "limit");
  CHECK(found.sentence == "the limit of /A is 2, and a job needs 4");
  CHECK(found.change == "limit = 4 or more for /A in compute");
  waits(state, "west", job_of(6));
  CHECK(nearest(state, "west").sentence == "no host of compute has 6 slots: the largest has 4");

  PlanSite used(plan_of({{"/A", "west", 0}, {"/B", "north", 4}}), 1, 4);
  for (int i = 0; i < 3; ++i) {
    used.want("north", 4);
    used.cycle();
  }
  REQUIRE(used.held("north") == 4);
  state = used.state;
  waits(state, "west", job_of(4));
  found = nearest(state, "west");
  CHECK(found.obstacle == "quota");
  CHECK(found.sentence == "its quota is 0 and it has 0: a job needs 4 more");
}

TEST_CASE("explain of a provider without a leaf says that its slots are the plan's") {
  using namespace leasehold::test;
  State state = PlanSite(plan_of({{"/A", "west", 4}}), 1, 4).state;
  waits(state, "east", job_of(1));
  const Nearest found = nearest(state, "east");
  CHECK(found.obstacle == "no-leaf");
  CHECK(found.change == "a [[consumer]] with cluster = \"east\" in compute");
}

TEST_CASE("explain of a cluster lists the obstacles below the work that waits") {
  State state = site::state();
  waits(state, "west", job_of(6));
  const Json answer = view_explain_any(state, "west", site::liveness()).value();
  CHECK_THAT(table_of("explain", answer, {}),
             Catch::Contains("what stands in its way:\n  - 6 slots on one host, pool:west as "
                             "consumer: no host of pool:west has 6 slots: the largest has 4\n"));
  Json older = answer;
  older.erase("waiting");
  CHECK_THAT(table_of("explain", older, {}), !Catch::Contains("what stands in its way"));
}
