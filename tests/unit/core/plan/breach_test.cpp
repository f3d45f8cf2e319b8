// A plan whose cluster uses more than its limit: what nobody holds may be what it uses.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

// A cluster used more than its limit: on a slot that the ledger gave to nobody. A reload ended the
// exports, and the provider had that slot at once (seed 51499).
TEST_CASE("plan: slots that nobody holds do not leave the exports while somebody uses too many") {
  PlanSite site(plan_of({{"/E", "east", 3}, {"/A", "west", 5}}, PlanPolicy::ownership), 1, 8);
  for (int cycles = 0; cycles < 4; ++cycles) {
    site.want("east", 8);
    site.cycle();
  }
  site.want("west", 4);
  site.cycle();
  site.run_until_idle();
  REQUIRE(site.held("west") == 4);
  REQUIRE(site.unallocated() == 1);
  const auto uses = [&site](int32_t slots) {
    AgentRow& row = site.agent("west").groups.begin()->second.rows.front();
    row.limit = row.used = slots;
    site.report("west");
  };
  uses(5);
  REQUIRE(site.pool().breach);
  BrokerConfig ended = site.state.config;
  ended.policies.front().hosts = {"h9"};
  site.load(ended);
  REQUIRE(site.pool().breach);
  CHECK(site.unallocated() == 1);
  uses(4);
  site.run_until_idle();
  site.cycle();
  CHECK(site.unallocated() == 0);
  CHECK(violations(site.state).empty());
}
