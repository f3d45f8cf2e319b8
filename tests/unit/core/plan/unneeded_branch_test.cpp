// Leaves of a branch under the ownership policy hold slots without need, beside branches of other
// policies.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// /R owns for its two leaves, which lend to each other; /S may borrow of both.
Plan branch() {
  Plan plan = plan_of(
      {{"/R", "", 0, 0}, {"/R/A", "west", 10, 0}, {"/R/B", "north", 10, 0}, {"/S", "south", 0, 0}},
      PlanPolicy::ownership);
  plan.consumers[0].owned.reset();
  for (size_t c : {1u, 2u}) {
    plan.consumers[c].parent = 0;
    plan.consumers[c].lend_limit = 10;
  }
  plan.consumers[3].borrow_from = ConsumerList{true, {}, {}};
  return plan;
}

/// west has its ten slots, on two hosts of five, and works on one of them; north has none.
PlanSite unneeded(const Plan& plan) {
  PlanSite site(plan, 4, 5);
  site.want("west", 10);
  site.cycle();
  site.want("west", 10);
  REQUIRE(site.held("west") == 10);
  site.want("north", 10);
  site.cycle();
  site.want("north", 10);
  REQUIRE(site.held("north") == 10);
  site.want("west", 5);
  return site;
}

}  // namespace

TEST_CASE("plan: what an owner holds but has no need of is lent once somebody is short") {
  PlanSite site = unneeded(branch());
  site.cycle();
  CHECK(site.due("west") == 10);  // nobody is short
  site.want("south", 3);
  site.cycle();
  CHECK(site.due("west") == 5);  // two of them lie idle
  CHECK(site.due("south") == 3);
  site.want("south", 9);
  site.cycle();
  CHECK(site.due("west") == 5);
  CHECK(site.due("south") == 5);
  CHECK(site.due("north") == 10);
  // Hosts on which all of its slots are in use are left to it.
  CHECK(site.pool().at(0, site.member("west")).due == 5);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: unneeded slots that nobody may have stay where they are") {
  Plan own = branch();
  for (PlanConsumer& consumer : own.consumers) consumer.lend_limit.reset();
  PlanSite site = unneeded(own);
  site.want("south", 5);
  site.cycle();
  CHECK(site.due("west") == 10);
  CHECK(site.due("south") == 0);
}

TEST_CASE("plan: unneeded slots stay for the minimum hold time, and leave when it is over") {
  Plan calm = branch();
  calm.min_hold_ms = 300'000;
  PlanSite site = unneeded(calm);
  site.want("south", 5);
  site.cycle();
  CHECK(site.due("south") == 0);
  CHECK(site.due("west") == 10);
  site.pass(300'000);
  CHECK(site.due("south") == 5);
  CHECK(site.due("west") == 5);
}

TEST_CASE("plan: unneeded slots of several leaves are held, each for its own time") {
  Plan calm = branch();
  calm.min_hold_ms = 300'000;
  PlanSite site = unneeded(calm);
  site.want("north", 4);
  site.want("south", 20);
  site.cycle();
  CHECK(site.due("south") == 0);
  site.pass(300'000);
  CHECK(site.due("south") == 11);
}

TEST_CASE("plan: unneeded slots are given up where nothing runs, whichever host that is") {
  PlanSite site = unneeded(branch());
  auto& rows = site.agent("west").groups.begin()->second.rows;
  rows[0].used = 0;
  rows[1].used = 5;
  site.report("west");
  site.want("south", 5);
  site.cycle();
  CHECK(site.pool().at(0, site.member("west")).due == 0);
  CHECK(site.pool().at(1, site.member("west")).due == 5);
  CHECK(site.held("south") == 5);
}

TEST_CASE("plan: beside ownership branches a hybrid one keeps to its quota") {
  Plan plan = branch();
  plan.consumers[3].policy = PlanPolicy::hybrid;
  plan.consumers[3].borrow_from.reset();
  plan.consumers[3].owned = 10;
  PlanSite site(plan, 6, 5);
  site.want("south", 10);
  site.cycle();
  site.want("south", 10);
  site.want("west", 10);
  site.cycle();
  site.want("west", 10);
  site.want("south", 4);
  site.want("north", 25);
  site.cycle();
  CHECK(site.due("north") == 10);
  CHECK(site.due("south") == 10);
  CHECK(violations(site.state).empty());
}
