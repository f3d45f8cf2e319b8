// Slots of a host that several members are due, and that come free one after the other.
#include <catch2/catch.hpp>

#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// One host of four slots: /A is west and owns nothing, /B (north) and /C (south) own two each.
PlanSite one_host(int32_t in_use) {
  PlanSite site(plan_of({{"/A", "west", 0, 0}, {"/B", "north", 2, 0}, {"/C", "south", 2, 0}}), 1,
                4);
  for (int i = 0; i < 3; ++i) {
    site.want("west", in_use);
    site.cycle();
  }
  REQUIRE(site.held("west") == in_use);
  return site;
}

/// Both owners call, and the next cycle answers; nobody's work has ended yet.
void owners_call(PlanSite& site) {
  for (const char* owner : {"north", "south"}) {
    site.agents[owner].pending = 2;
    site.report(owner);
  }
  site.cycle();
  REQUIRE(site.due("north") == 2);
  REQUIRE(site.due("south") == 2);
}

void end_work(PlanSite& site, int32_t slots) {
  AgentRow& row = site.agents["west"].groups.at(site.pool().generation).rows[0];
  row.used -= slots;
  row.limit -= slots;
  site.report("west");
  site.run_until_idle();
}

}  // namespace

TEST_CASE("what comes free is the first owner's as far as it is due, then the next one's") {
  PlanSite site = one_host(4);
  owners_call(site);
  end_work(site, 2);
  CHECK(site.held("north") == 2);
  CHECK(site.held("south") == 0);
  end_work(site, 2);
  CHECK(site.held("north") == 2);
  CHECK(site.held("south") == 2);
  for (const Record& row : site.history) {
    if (row.kind == RecordKind::transfer_granted) CHECK(row.slots > 0);
  }
}

TEST_CASE("what nobody has is the first owner's, and the next one waits for work to end") {
  PlanSite site = one_host(2);
  REQUIRE(site.unallocated() == 2);
  owners_call(site);
  CHECK(site.held("north") == 2);
  CHECK(site.held("south") == 0);
  CHECK(site.unallocated() == 0);
  end_work(site, 2);
  CHECK(site.held("south") == 2);
}

TEST_CASE("what comes free is not given to an owner whose agent calls the host down") {
  PlanSite site = one_host(4);
  owners_call(site);
  AgentRow& row = site.agents["north"].groups.at(site.pool().generation).rows[0];
  row.up = false;
  site.report("north");
  const size_t before = site.history.size();
  end_work(site, 2);
  CHECK(site.held("north") == 0);
  CHECK(site.held("south") == 2);
  for (size_t i = before; i < site.history.size(); ++i) {  // nor there and back
    if (site.history[i].kind != RecordKind::transfer_granted) continue;
    CHECK(site.history[i].to == find_cluster(site.state, "south"));
  }
  row.up = true;
  site.report("north");
  end_work(site, 2);
  CHECK(site.held("north") == 2);
}
