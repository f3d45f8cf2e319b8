// Waiting work counts nowhere if the plan, with that demand, takes nothing from those
// who have the slots (broker/rules/plan/README.md, "Demand by shape").
#include <catch2/catch.hpp>

#include "broker/rules/plan/demand/leaf_demand.hpp"
#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

TEST_CASE(
    "demand: no work is put on slots of a leaf that the plan, in the end, leaves all it has") {
  // Symptom: /C's work starts nowhere, but made /B's first quota smaller. /A was given the two idle
  // slots of the first host, and never the two of /B there, which the plan let it keep.
  PlanFixture scene("hybrid slots=12", {"/A owned=4", "/B owned=4 demand=20 allocated=6",
                                        "/C owned=2", "/D owned=2 demand=2 allocated=2"});
  std::vector<PlanHost> hosts(3);
  for (PlanHost& host : hosts) host.slots = host.facts.slots = 4;
  hosts[0].held = {{scene.find("/B"), 2, 2}};
  hosts[1].held = {{scene.find("/B"), 4, 4}};
  hosts[2].held = {{scene.find("/D"), 2, 2}};
  std::vector<LeafWork> works(2);
  works[0].consumer = scene.find("/A");
  works[0].waiting = {{{4, 1, 4}, 1, 0, {0b011}}};
  works[1].consumer = scene.find("/C");
  works[1].waiting = {{{4, 1, 4}, 1, 0, {0b100}}};
  const auto compiled = compile(scene.plan);
  const LeafDemands found =
      leaf_demands({scene.plan, compiled, scene.state, *compiled, false, hosts, {}, works});
  CHECK(found.wanted.empty());
  CHECK(found.leaves[0].demand == 0);
  works[1].waiting.clear();  // as if it were not there
  const LeafDemands without =
      leaf_demands({scene.plan, compiled, scene.state, *compiled, false, hosts, {}, works});
  CHECK(without.wanted.empty());
}
