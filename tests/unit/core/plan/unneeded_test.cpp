// A leaf under the ownership policy lends what it holds and does not need, like any idle slot.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// /A (west, owns 20) lends to /B (north, owns 10), both in a group of 30 slots.
Plan lending(int64_t lend_limit = 20, int64_t min_hold_ms = 0) {
  Plan plan = plan_of({{"/A", "west", 20}, {"/B", "north", 10}}, PlanPolicy::ownership);
  plan.consumers[0].lend_limit = lend_limit;
  plan.consumers[1].borrow_from = ConsumerList{true, {}, {}};
  plan.min_hold_ms = min_hold_ms;
  return plan;
}

/// west had work for all that it owns, then only for 5 of them; north has all that it owns.
PlanSite after_the_peak(Plan plan) {
  PlanSite site(std::move(plan), 3, 10);
  site.want("west", 20);
  site.cycle();
  site.want("west", 20);
  site.want("north", 10);
  site.cycle();
  site.want("north", 10);
  REQUIRE(site.held("west") == 20);
  REQUIRE(site.held("north") == 10);
  site.want("west", 5);
  site.cycle();
  return site;
}

}  // namespace

TEST_CASE("plan: an owner's slots of which it has no need stay with it while nobody wants them") {
  PlanSite site = after_the_peak(lending());
  CHECK(site.held("west") == 20);
}

TEST_CASE("plan: an owner's slots of which it has no need are lent to who is short of slots") {
  PlanSite site = after_the_peak(lending());
  site.want("north", 25);
  site.cycle();
  CHECK(site.held("west") == 5);
  CHECK(site.held("north") == 25);
  const PlanConsumerLedger& borrower = site.state.resource_groups[0].consumers[1];
  CHECK(borrower.loans == std::vector<LentSlots>{{0, 15}});
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: what the owner lent of its unneeded slots is reclaimed when it wants them again") {
  PlanSite site = after_the_peak(lending());
  site.want("north", 25);
  site.cycle();
  site.want("north", 25);
  site.want("west", 20);
  site.cycle();
  site.want("north", 10);  // its jobs end where they have to
  site.run_until_idle();
  CHECK(site.held("west") == 20);
  CHECK(site.held("north") == 10);
}

TEST_CASE("plan: unneeded slots that may not be lent stay with their owner") {
  PlanSite site = after_the_peak(lending(0));
  site.want("north", 25);
  site.cycle();
  CHECK(site.held("west") == 20);
  CHECK(site.held("north") == 10);
}

TEST_CASE("plan: slots gained less than the minimum hold time ago are not given up unneeded") {
  PlanSite site = after_the_peak(lending(20, 600'000));
  site.want("north", 25);
  site.cycle();
  CHECK(site.held("west") == 20);
  site.pass(600'000);
  site.want("north", 25);
  site.cycle();
  CHECK(site.held("west") == 5);
}

TEST_CASE("plan: a borrower that has no need of its loan gives it up to another borrower") {
  Plan plan = plan_of({{"/L", "south", 10}, {"/A", "west", 10}, {"/B", "north", 10}},
                      PlanPolicy::ownership);
  plan.consumers[0].lend_limit = 10;
  for (const size_t borrower : {1, 2}) {
    plan.consumers[borrower].borrow_from = ConsumerList{false, {0}, {}};
  }
  PlanSite site(plan, 3, 10);
  site.want("west", 20);
  site.cycle();
  site.want("west", 20);
  REQUIRE(site.held("west") == 20);
  site.want("west", 12);
  site.want("north", 15);
  site.cycle();
  CHECK(site.held("west") == 12);
  CHECK(site.held("north") == 15);
  CHECK(site.state.resource_groups[0].consumers[1].loans == std::vector<LentSlots>{{0, 2}});
  CHECK(site.state.resource_groups[0].consumers[2].loans == std::vector<LentSlots>{{0, 5}});
}

TEST_CASE("plan: a disconnected owner gives up nothing") {
  PlanSite site = after_the_peak(lending());
  site.lose("west");
  site.want("north", 25);
  site.cycle();
  CHECK(site.held("west") == 20);
}

TEST_CASE("plan: a job waited beside an owner's unneeded slots as nobody was short by its number") {
  PlanSite site(plan_of({{"/A", "west", 2}, {"/B", "north", 2}}, PlanPolicy::ownership), 2, 2);
  site.want("north", 2);
  site.cycle();
  site.want("north", 1);
  REQUIRE(site.pool().at(0, site.member("north")).due == 2);
  wire::DemandBucket over_hosts;
  over_hosts.hosts = 2;
  over_hosts.jobs = 1;
  over_hosts.slots = 2;
  site.tell("west", {over_hosts});
  site.cycle();
  CHECK(site.pool().at(0, site.member("west")).due == 1);
  CHECK(site.pool().at(1, site.member("west")).due == 1);
  CHECK(site.due("north") == 1);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: unneeded slots were given up on the host on which the owner's job would start") {
  Plan plan = plan_of({{"/A", "west", 7}, {"/B", "north", 1}}, PlanPolicy::ownership);
  plan.consumers[0].lend_limit = 7;
  plan.consumers[1].borrow_from = ConsumerList{true, {}, {}};
  PlanSite site(plan, 2, 4);
  site.want("west", 7);
  site.cycle();
  site.want("west", 7);
  REQUIRE(site.due("west") == 7);
  site.want("west", 2);
  REQUIRE(site.pool().at(0, site.member("west")).due == 4);
  site.tell("west", {{3, 1, wire::TimeClass::unknown, 0, 1, 3, {}}});
  site.want("north", 3);
  site.cycle();
  CHECK(site.pool().at(0, site.member("west")).due == 2);
  CHECK(site.pool().at(1, site.member("west")).due == 3);
  CHECK(site.due("north") == 3);
  CHECK(violations(site.state).empty());
}
