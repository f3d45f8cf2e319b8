// A plan that reclaims no shared slots: who has more of the pool than it deserves gives it up as
// its work ends, for whoever deserves it.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// 20 slots, 10 of them of the pool; west may have two of those.
Plan unreclaimed() {
  Plan plan =
      plan_of({{"/A", "west", 6}, {"/B", "north", 2}, {"/C", "east", 2}}, PlanPolicy::ownership);
  plan.consumers[0].limit = 8;
  plan.reclaim_shared = false;
  return plan;
}

void want_for_a_cycle(PlanSite& site, int32_t west, int32_t north) {
  site.want("north", north);
  site.want("west", west);
  site.cycle();
}

/// north has work on all that it owns and on all of the pool; then west wants its part.
PlanSite shared_by_north(Plan plan = unreclaimed()) {
  PlanSite site(std::move(plan), 2, 10);
  want_for_a_cycle(site, 0, 12);
  want_for_a_cycle(site, 0, 12);
  REQUIRE(site.held("north") == 12);
  want_for_a_cycle(site, 8, 12);
  return site;
}

int64_t recorded(const PlanSite& site, size_t consumer, ConsumerNumber which) {
  return site.state.resource_groups.front().consumers[consumer].numbers[static_cast<size_t>(which)];
}

}  // namespace

TEST_CASE("plan: what a leaf that owns slots gives up of the pool comes to who deserves it") {
  PlanSite site = shared_by_north();
  CHECK(site.due("north") == 10);
  CHECK(site.held("north") == 12);  // its work there goes on
  want_for_a_cycle(site, 8, 12);
  CHECK(site.due("west") == 8);
  site.want("north", 10);  // work on two slots ends
  site.run_until_idle();
  CHECK(site.held("west") == 8);
  CHECK(site.held("north") == 10);
  CHECK(site.unallocated() == 2);  // what east owns
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: what a leaf gives up is recorded as no longer shared, nor as an owned slot less") {
  PlanSite site = shared_by_north();
  CHECK(recorded(site, 1, ConsumerNumber::allocated) == 10);
  CHECK(recorded(site, 1, ConsumerNumber::shared) == 8);
}

TEST_CASE(
    "plan: a leaf in a branch gives up slots of the pool, and the branch shares as many less") {
  Plan plan = unreclaimed();
  PlanConsumer branch;
  branch.path = "/lab";
  plan.consumers.insert(plan.consumers.begin(), branch);
  plan.consumers[2].parent = 0;
  plan.consumers[2].path = "/lab/B";
  PlanSite site = shared_by_north(std::move(plan));
  CHECK(recorded(site, 0, ConsumerNumber::shared) == 8);
  CHECK(recorded(site, 2, ConsumerNumber::shared) == 8);
  want_for_a_cycle(site, 8, 12);
  CHECK(site.due("west") == 8);
}

// The first leaf's slots stayed with nobody: it gave them up to one that had borrowed what it
// deserved, and was given them again in each cycle.
TEST_CASE("plan: a leaf keeps what it has of the pool while who deserves it has borrowed enough") {
  Plan plan = plan_of({{"/A", "west"}, {"/B", "north"}, {"/C", "south", 4}}, PlanPolicy::ownership);
  plan.reclaim_shared = false;
  plan.consumers[1].borrow_from = ConsumerList{true, {}, {}};
  plan.consumers[2].lend_limit = 4;
  PlanSite site(std::move(plan), 1, 8);
  want_for_a_cycle(site, 4, 0);
  want_for_a_cycle(site, 4, 4);
  want_for_a_cycle(site, 4, 4);
  CHECK(site.held("north") == 4);
  CHECK(site.due("west") == 4);
}

TEST_CASE("plan: a leaf that is not heard gives up nothing of the pool") {
  PlanSite site(unreclaimed(), 2, 10);
  want_for_a_cycle(site, 0, 12);
  want_for_a_cycle(site, 0, 12);
  site.lose("north");
  site.want("west", 8);
  site.cycle();
  site.cycle();
  CHECK(site.due("north") == 12);
}
