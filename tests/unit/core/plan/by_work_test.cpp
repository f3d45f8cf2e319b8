// Plans whose agents tell the shapes of their waiting work: what would not start moves nothing, and
// slots come where it starts (broker/rules/plan/README.md, "Demand by shape").
#include "broker/core/plan/by_work.hpp"

#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

Reason reason_of(const PlanSite& site, const std::string& path) {
  for (const PlanConsumerLedger& leaf : site.state.resource_groups.front().consumers) {
    if (leaf.path == path) return leaf.reason;
  }
  return Reason::none;
}

/// /A (west) owns all; /B (north) uses all `hosts` hosts of `slots`, and more of its work waits.
PlanSite borrowed(int hosts, int32_t slots) {
  PlanSite site(plan_of({{"/A", "west", int64_t{hosts} * slots}, {"/B", "north", 0}}), hosts,
                slots);
  for (int i = 0; i < 3; ++i) {
    site.want("north", 2 * hosts * slots);
    site.cycle();
  }
  REQUIRE(site.held("north") == hosts * slots);
  return site;
}

}  // namespace

TEST_CASE("plan: no work is ended for a job that no host of the group would start") {
  // Symptom: 8 slots as 2 on each of 4 hosts, the owner's job wants 4 on one: 4 runs were ended,
  // and 4 slots lay idle for hours.
  PlanSite site = borrowed(4, 2);
  site.jobs_wait("west", 1, 4);
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(site.due("north") == 8);
  CHECK(site.due("west") == 0);
  CHECK(reason_of(site, "/A") == Reason::shape_misfit);
  const PlanSnapshot snapshot = take_snapshot(site.state, 0);
  CHECK(snapshot.state.leaves[0].demand == 0);
  CHECK(snapshot.wants == std::vector<int64_t>{4, 16});
}

TEST_CASE("plan: a job that a host would start has slots of that host, and of no other") {
  PlanSite site = borrowed(2, 4);
  site.agent("east").hosts.back().type = "big";
  site.hello("east");
  site.run_until_idle();
  site.jobs_wait("west", 1, 4, "big");
  site.cycle();
  CHECK(site.pool().at(0, site.member("west")).due == 0);
  CHECK(site.pool().at(1, site.member("west")).due == 4);
  CHECK(site.due("north") == 4);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: a leaf at its limit gives up idle slots that start nothing for others that do") {
  Plan plan = plan_of({{"/A", "west", 4}, {"/B", "north", 8}});
  plan.consumers.front().limit = 4;
  PlanSite site(plan, 3, 4);
  for (int i = 0; i < 2; ++i) {
    site.want("north", 2);
    site.cycle();
  }
  for (int i = 0; i < 2; ++i) {
    site.want("west", 4);
    site.cycle();
  }
  const size_t west = site.member("west");
  REQUIRE(site.pool().at(0, west).due == 2);
  REQUIRE(site.pool().at(1, west).due == 2);
  site.want("west", 0);
  site.jobs_wait("west", 1, 4);
  site.cycle();
  CHECK(site.due("west") == 4);
  CHECK(site.pool().at(0, west).due == 0);
  CHECK((site.pool().at(1, west).due == 4 || site.pool().at(2, west).due == 4));
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: of two leaves whose jobs one idle host would start, one has all of it") {
  PlanSite site(plan_of({{"/A", "west", 2}, {"/B", "north", 2}}), 1, 4);
  for (const char* cluster : {"west", "north"}) {
    site.tell(cluster, {{4, 1, wire::TimeClass::unknown, 0, 1, 4, {}}});
  }
  site.run_until_idle();
  for (int i = 0; i < 2; ++i) site.cycle();
  CHECK(site.due("west") + site.due("north") == 4);
  CHECK((site.due("west") == 0 || site.due("north") == 0));
}

TEST_CASE("plan: agents that tell no shapes have their numbers as demand") {
  PlanSite site = borrowed(4, 2);
  site.want("west", 4);
  const PlanSnapshot snapshot = take_snapshot(site.state, 0);
  CHECK(snapshot.wants.empty());
  CHECK(snapshot.state.leaves[0].demand == 4);
  CHECK(snapshot.state.leaves[1].demand == 16);
}

TEST_CASE("plan: an evaluation has time for 20,000 leaves that tell shapes, times hosts") {
  CHECK(goes_by_work(1, 20'000));
  CHECK(goes_by_work(20, 1'000));
  CHECK_FALSE(goes_by_work(21, 1'000));
  CHECK_FALSE(goes_by_work(1, 20'001));
  CHECK_FALSE(goes_by_work(0, 1));
}
