// A resource plan carried out by the core: quotas become dues, dues become transfers.
#include <catch2/catch.hpp>

#include "broker/core/invariants.hpp"
#include "tests/unit/core/plan_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

const std::vector<LeafSpec> kThree{{"/A", "west", 10}, {"/B", "north", 10}, {"/C", "south", 10}};

}  // namespace

TEST_CASE("plan: whoever wants idle slots of the group gets them from the provider") {
  PlanSite site(plan_of(kThree), 3, 10);
  CHECK(site.held("east") == 30);
  site.want("west", 20);
  site.cycle();
  CHECK(site.held("west") == 20);
  CHECK(site.held("east") == 10);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: an owner gets its slots back from a borrower's running work") {
  PlanSite site(plan_of(kThree), 3, 10);
  site.want("west", 30);
  site.cycle();
  REQUIRE(site.held("west") == 30);
  site.want("west", 30);
  site.want("north", 10);
  site.cycle();
  CHECK(site.due("west") == 20);
  CHECK(site.due("north") == 10);
  CHECK(site.held("west") == 30);  // it runs work there, until the reclaim ends it
  site.want("west", 20);
  site.settle();
  CHECK(site.held("west") == 20);
  CHECK(site.held("north") == 10);
  CHECK(violations(site.state).empty());
}
