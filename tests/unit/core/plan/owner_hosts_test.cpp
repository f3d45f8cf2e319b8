// A wide job of the provider for which the plan gives its leaf the slots, but on hosts where they
// do not start it: it has those that it lacks as the work on them ends, and no leaf is due more or
// less for it.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using Slots = std::vector<int32_t>;

constexpr int64_t kPerCycleMs = 10'000;
constexpr int64_t kStarvesAfterMs = 12 * kPerCycleMs;

Slots held_on(const PlanSite& site, const std::string& cluster) {
  Slots held;
  for (uint32_t row = 0; row < site.pool().hosts.size(); ++row) {
    held.push_back(site.pool().at(row, site.member(cluster)).held);
  }
  return held;
}

Slots due_on(const PlanSite& site, const std::string& cluster) {
  Slots due;
  for (uint32_t row = 0; row < site.pool().hosts.size(); ++row) {
    due.push_back(site.pool().at(row, site.member(cluster)).due);
  }
  return due;
}

/// Its jobs use so many slots of each host, as far as they may, and `pending` wait.
void runs(PlanSite& site, const std::string& cluster, const Slots& used, int64_t pending) {
  Agent& agent = site.agent(cluster);
  AgentGroup& group = agent.groups.at(site.pool().generation);
  for (size_t row = 0; row < used.size(); ++row) {
    AgentRow& host = group.rows.at(row);
    host.used = std::min(used[row], host.limit);
    group.ever_used = group.ever_used || host.used > 0;
    if (host.shrink_to >= 0) host.limit = std::max(host.shrink_to, std::min(host.limit, host.used));
  }
  agent.pending = pending;
  site.report(cluster);
  site.run_until_idle();
}

/// Waits at `cluster` since `age_ms`: a job of so many slots on each of so many hosts of that type,
/// and behind it `narrow` jobs of one slot.
void wide_waits(PlanSite& site, const std::string& cluster, int32_t hosts, int32_t on_host,
                int64_t age_ms = kStarvesAfterMs, const std::string& type = "",
                int64_t narrow = 0) {
  StateReported report;
  report.cluster = cluster;
  report.session = site.agent(cluster).session;
  report.pending = int64_t{hosts} * on_host + narrow;
  site.agent(cluster).pending = report.pending;
  wire::DemandBucket bucket;
  bucket.slots_per_host = on_host;
  bucket.hosts = hosts;
  bucket.jobs = 1;
  bucket.slots = int64_t{hosts} * on_host;
  bucket.oldest_ms = std::max<int64_t>(1, site.now.ms - age_ms);
  if (!type.empty()) bucket.host_types = {type};
  report.demand.emplace();
  if (hosts > 0) report.demand->push_back(bucket);
  if (narrow > 0) {
    report.demand->push_back({.oldest_ms = site.now.ms, .jobs = narrow, .slots = narrow});
  }
  site.step(report);
  site.run_until_idle();
}

/// /E (east, whose hosts they are) and /A (west) own half of four hosts of 4 each, and have 2 slots
/// of each host. west's queue is full.
PlanSite halves() {
  Plan plan = plan_of({{"/E", "east", 8}, {"/A", "west", 8}});
  plan.placement = Placement::balanced;
  PlanSite site(plan, 4, 4);
  for (int i = 0; i < 3; ++i) {
    for (const char* cluster : {"east", "west"}) site.want(cluster, 8);
    site.cycle();
  }
  site.want("west", 28);
  site.cycle();
  for (const char* cluster : {"east", "west"}) {
    REQUIRE(held_on(site, cluster) == Slots{2, 2, 2, 2});
  }
  return site;
}

/// The jobs of the cluster have ended, and the one that waits for 4 slots of two hosts starves.
PlanSite starving(const std::string& cluster = "east", int32_t hosts = 2) {
  PlanSite site = halves();
  wide_waits(site, cluster, hosts, 4);
  runs(site, cluster, {0, 0, 0, 0}, int64_t{hosts} * 4);
  return site;
}

int64_t asked(const PlanSite& site, const std::string& cluster) {
  int64_t slots = 0;
  for (const Transfer& open : site.pool().transfers) {
    if (open.from == site.member(cluster) && open.reason == Reason::owner_waits) {
      CHECK(open.lowering == wire::Lowering::shrink);
      slots += slots_of(open.wanted);
    }
  }
  return slots;
}

}  // namespace

TEST_CASE(
    "plan: a provider's wide job has the slots of its hosts that it lacks as work there ends") {
  PlanSite site = starving();
  site.cycle();
  CHECK(due_on(site, "east") == Slots{4, 4, 0, 0});
  CHECK(due_on(site, "west") == Slots{0, 0, 4, 4});
  CHECK(asked(site, "west") == 4);                    // no more than it lacks
  CHECK(held_on(site, "west") == Slots{2, 2, 4, 4});  // what runs there goes on
  runs(site, "west", {2, 1, 4, 4}, 12);
  CHECK(held_on(site, "east") == Slots{2, 3, 0, 0});
  site.cycle();
  CHECK(held_on(site, "west") == Slots{2, 1, 4, 4});
  runs(site, "west", {0, 0, 4, 4}, 12);
  CHECK(held_on(site, "east") == Slots{4, 4, 0, 0});
  CHECK(site.pool().transfers.empty());
  runs(site, "east", {4, 4, 0, 0}, 0);
  wide_waits(site, "east", 0, 0);
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(due_on(site, "east") == Slots{4, 4, 0, 0});
  CHECK(site.pool().transfers.empty());
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: while slots are to come for a wide job of the provider no others are given away") {
  // Symptom: smaller own work began on what the job was to have, and one host after another went.
  PlanSite site = halves();
  wide_waits(site, "east", 1, 4, kStarvesAfterMs, "", 4);
  runs(site, "east", {0, 0, 0, 0}, 8);
  site.cycle();
  REQUIRE(asked(site, "west") == 2);
  const Slots due = due_on(site, "east");
  runs(site, "east", {1, 0, 0, 0}, 8);
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(asked(site, "west") == 2);
  CHECK(due_on(site, "east") == due);
}

TEST_CASE(
    "plan: the slots on which one wide job of the provider starts are not those of the next") {
  PlanSite site = halves();
  wide_waits(site, "east", 1, 4, kStarvesAfterMs, "", 4);
  runs(site, "east", {0, 0, 0, 0}, 8);
  site.cycle();
  runs(site, "west", {0, 2, 2, 4}, 20);
  REQUIRE(held_on(site, "east") == Slots{4, 2, 2, 0});
  StateReported report;
  report.cluster = "east";
  report.session = site.agent("east").session;
  report.pending = 8;
  wire::DemandBucket bucket;
  bucket.jobs = 1;
  bucket.oldest_ms = site.now.ms - kStarvesAfterMs;
  for (const int32_t slots : {4, 3, 1}) {
    bucket.slots = bucket.slots_per_host = slots;
    if (!report.demand) report.demand.emplace();
    report.demand->push_back(bucket);
  }
  site.step(report);
  site.cycle();
  CHECK(due_on(site, "east") == Slots{4, 3, 1, 0});
  CHECK(asked(site, "west") == 1);
}

TEST_CASE("plan: slots of a host that another leaf gets back are not asked for a wide job, too") {
  Plan plan = plan_of({{"/E", "east", 8}, {"/A", "west", 4}, {"/B", "north", 4}});
  plan.placement = Placement::balanced;
  PlanSite site(plan, 4, 4);
  for (int i = 0; i < 3; ++i) {
    for (const char* cluster : {"east", "west"}) site.want(cluster, 8);
    site.cycle();
  }
  REQUIRE(held_on(site, "west") == Slots{2, 2, 2, 2});
  site.agent("north").pending = 4;
  site.report("north");
  wide_waits(site, "east", 2, 3, kStarvesAfterMs, "", 2);
  runs(site, "east", {0, 0, 0, 0}, 8);
  for (int i = 0; i < 2; ++i) site.cycle();
  REQUIRE(due_on(site, "north") == Slots{1, 1, 1, 1});
  CHECK(due_on(site, "east") == Slots{2, 2, 2, 2});
  CHECK(asked(site, "west") == 0);
  runs(site, "west", {1, 1, 1, 1}, 4);
  REQUIRE(held_on(site, "north") == Slots{1, 1, 1, 1});
  runs(site, "north", {1, 1, 1, 1}, 0);
  site.cycle();
  CHECK(due_on(site, "east") == Slots{3, 3, 2, 0});
  CHECK(asked(site, "west") == 0);
  CHECK(asked(site, "north") == 2);
}

TEST_CASE("plan: nothing more is asked for a wide job of the provider that waits no more") {
  PlanSite site = starving();
  site.cycle();
  REQUIRE(asked(site, "west") == 4);
  wide_waits(site, "east", 0, 0);
  for (int i = 0; i < 2; ++i) site.cycle();
  CHECK(due_on(site, "west") == Slots{4, 4, 4, 4});
  CHECK(held_on(site, "west") == Slots{4, 4, 4, 4});
  CHECK(site.pool().transfers.empty());
}

TEST_CASE(
    "plan: a wide job for which the plan gives no slots has no others for it, and keeps none") {
  PlanSite site = starving("east", 3);
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(due_on(site, "east") == Slots{0, 0, 0, 0});
  CHECK(asked(site, "west") == 0);
}

TEST_CASE("plan: a leaf has nothing exchanged of hosts that are not its own") {
  PlanSite site = starving("west");
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(asked(site, "east") == 0);
  CHECK(asked(site, "west") == 0);
  CHECK(due_on(site, "west") == Slots{2, 2, 2, 2});
}

TEST_CASE("plan: a wide job of the provider that has not waited for twelve cycles may start yet") {
  PlanSite site = halves();
  wide_waits(site, "east", 2, 4, 0);
  runs(site, "east", {0, 0, 0, 0}, 8);
  site.pass(kStarvesAfterMs - 2 * kPerCycleMs);
  CHECK(due_on(site, "east") == Slots{2, 2, 2, 2});
  site.pass(3 * kPerCycleMs);
  CHECK(due_on(site, "east") == Slots{4, 4, 0, 0});
}

TEST_CASE("plan: what was exchanged for a wide job outlasts a restart of the broker") {
  PlanSite site = starving();
  site.cycle();
  REQUIRE(due_on(site, "east") == Slots{4, 4, 0, 0});
  site.restart_broker();
  for (const char* cluster : {"east", "west", "north", "south"}) site.hello(cluster);
  site.run_until_idle();
  for (int i = 0; i < 2; ++i) site.cycle();
  CHECK(due_on(site, "east") == Slots{4, 4, 0, 0});
  runs(site, "west", {0, 0, 4, 4}, 12);
  CHECK(held_on(site, "east") == Slots{4, 4, 0, 0});
}

TEST_CASE("plan: a host that may not be split is exchanged as a whole, once all work there ended") {
  PlanSite site(plan_of({{"/E", "east", 8}, {"/A", "west", 8}}), 4, 4);
  for (wire::HostFacts& host : site.agent("east").hosts) {
    host.division = wire::Division::pinned_cores;
  }
  site.agent("east").hosts.front().type = "big";
  site.hello("east");
  site.run_until_idle();
  for (const char* cluster : {"west", "east"}) {
    for (int i = 0; i < 3; ++i) {
      site.want(cluster, 8);
      site.cycle();
    }
  }
  REQUIRE(held_on(site, "west") == Slots{4, 4, 0, 0});
  REQUIRE(held_on(site, "east") == Slots{0, 0, 4, 4});
  wide_waits(site, "east", 1, 4, kStarvesAfterMs, "big");
  runs(site, "east", {0, 0, 0, 0}, 8);
  site.cycle();
  CHECK(due_on(site, "east") == Slots{4, 0, 4, 0});
  CHECK(due_on(site, "west") == Slots{0, 4, 0, 4});
  runs(site, "west", {1, 4, 0, 4}, 4);
  CHECK(held_on(site, "east") == Slots{0, 0, 4, 0});
  runs(site, "west", {0, 4, 0, 4}, 4);
  CHECK(held_on(site, "east") == Slots{4, 0, 4, 0});
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: slots to be exchanged went back as unused, though the job before had begun") {
  PlanSite site(plan_of({{"/E", "east", 3}, {"/A", "west", 3}}), 2, 3);
  site.want("west", 2);
  site.cycle();
  REQUIRE(held_on(site, "west") == Slots{2, 0});
  site.jobs_wait("east", 2, 2);
  site.cycle();
  REQUIRE(held_on(site, "east") == Slots{1, 3});
  runs(site, "east", {0, 2}, 2);
  site.jobs_wait("east", 1, 2);
  site.cycle();
  REQUIRE(due_on(site, "east") == Slots{2, 2});
  const int records = site.count(RecordKind::consumer);
  for (int i = 0; i < 60; ++i) {
    site.cycle();
    CHECK(due_on(site, "east") == Slots{2, 2});
  }
  CHECK(site.count(RecordKind::consumer) == records);
  runs(site, "west", {0, 0}, 0);
  CHECK(held_on(site, "east") == Slots{2, 2});
  CHECK(violations(site.state).empty());
}
