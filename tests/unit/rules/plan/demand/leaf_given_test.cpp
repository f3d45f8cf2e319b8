// Waiting work counts nowhere if the plan, with that demand, takes nothing from those
// who have the slots (broker/rules/plan/README.md, "Demand by shape").
#include <catch2/catch.hpp>

#include "broker/rules/plan/demand/leaf_demand.hpp"
#include "broker/rules/plan/demand/slot_table.hpp"
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

namespace {

/// /A has 2 idle slots on each of two hosts, its limit. A third host has 4 that nobody has.
bool is_stuck(const std::string& more, bool provides, int32_t wide) {
  PlanFixture scene("hybrid slots=12",
                    {"/A owned=4 limit=4 allocated=4" + more, "/B owned=8 demand=4 allocated=4"});
  std::vector<PlanHost> hosts(3);
  for (PlanHost& host : hosts) host.slots = host.facts.slots = 4;
  for (const size_t h : {0, 1}) {
    hosts[h].held = {{scene.find("/A"), 2, 0}, {scene.find("/B"), 2, 2}};
    if (provides) hosts[h].owner = scene.find("/A");
  }
  std::vector<LeafWork> works(1);
  works[0].consumer = scene.find("/A");
  works[0].slots_allocated = 4;
  works[0].waiting = {{{wide, 1, wide}, 1, 0, {}}};
  const auto compiled = compile(scene.plan);
  return leaf_demands({scene.plan, compiled, scene.state, *compiled, false, hosts, {}, works})
      .leaves.front()
      .stuck;
}

}  // namespace

TEST_CASE("demand: idle slots that start nothing kept a leaf at its limit from those that would") {
  CHECK(is_stuck("", false, 4));
  CHECK_FALSE(is_stuck("", false, 2));  // it starts on what the leaf has
  CHECK_FALSE(is_stuck("", false, 5));  // nowhere
  CHECK_FALSE(is_stuck(" reserved=2", false, 4));
  CHECK_FALSE(is_stuck("", true, 4));  // others' slots of its hosts are exchanged for those
}

TEST_CASE("demand: other slots came when an agent named its shapes in another order") {
  const auto slots = [](std::vector<demand_aware::Waiting> waiting) {
    PlanFixture scene("hybrid slots=4", {"/A owned=4"});
    std::vector<PlanHost> hosts(1);
    hosts[0].slots = hosts[0].facts.slots = 4;
    const std::vector<LeafWork> works{{scene.find("/A"), 0, 0, 0, std::move(waiting)}};
    const auto compiled = compile(scene.plan);
    return leaf_demands({scene.plan, compiled, scene.state, *compiled, false, hosts, {}, works})
        .leaves.front()
        .demand;
  };
  const auto in_both_orders = [&](demand_aware::Waiting one, demand_aware::Waiting other) {
    CHECK(slots({one, other}) == slots({other, one}));
    return slots({one, other});
  };
  using demand_aware::Waiting;
  CHECK(in_both_orders(Waiting{{3, 1, 3}, 1, 0}, Waiting{{2, 1, 2}, 2, 0}) == 4);
  CHECK(in_both_orders(Waiting{{3, 1, 3}, 1, 20}, Waiting{{2, 1, 2}, 2, 10}) == 3);
  CHECK(in_both_orders(Waiting{{3, 1, 3}, 1, 10}, Waiting{{2, 1, 2}, 2, 0}) == 3);
}

TEST_CASE("demand: slots that a leaf loses at once were given up by it as its work ends, too") {
  // /B uses both hosts: 6 of its slots are reclaimed, and 2 come only as its work ends.
  PlanFixture scene("hybrid slots=20 disable_reclaim_hybrid_own",
                    {"/A owned=10", "/B owned=10 demand=16 allocated=16"}, 16);
  std::vector<PlanHost> hosts(2);
  for (PlanHost& host : hosts) {
    host.slots = host.facts.slots = 8;
    host.held = {{scene.find("/B"), 8, 8}};
  }
  const std::vector<LeafWork> works{{scene.find("/A"), 0, 0, 0, {{{2, 1, 2}, 4, 0}}}};
  const auto compiled = compile(scene.plan);
  const LeafDemands found =
      leaf_demands({scene.plan, compiled, scene.state, *compiled, false, hosts, {}, works});
  int64_t wanted = 0;
  for (const WantedSlots& one : found.wanted) wanted += one.slots;
  int64_t returning = 0;
  for (const WantedSlots& one : found.returning) returning += one.slots;
  CHECK(wanted == 6);
  CHECK(returning == 2);
}

TEST_CASE("demand: a slot of an owner was wanted though one beside was free, and never came") {
  PlanFixture scene("ownership slots=4", {"/A owned=2 borrow_from=/B demand=2 allocated=2",
                                          "/B owned=2 lend_limit=2 allocated=1"});
  std::vector<PlanHost> hosts(2);
  for (PlanHost& host : hosts) host.slots = host.facts.slots = 2;
  hosts[0].held = {{scene.find("/A"), 1, 1}, {scene.find("/B"), 1, 0}};
  hosts[1].held = {{scene.find("/A"), 1, 1}};
  const std::vector<LeafWork> works{{scene.find("/A"), 2, 2, 2, {{{1, 1, 1}, 1, 0}}}};
  const auto compiled = compile(scene.plan);
  const LeafDemands found =
      leaf_demands({scene.plan, compiled, scene.state, *compiled, false, hosts, {}, works});
  CHECK(found.wanted == std::vector<WantedSlots>{{scene.find("/A"), kNoIndex, 1, 1}});
}

TEST_CASE("demand: idle slots kept for an exchange took the host on which other work would start") {
  std::vector<PlanHost> hosts(3);
  for (const size_t h : {0, 1, 2}) {
    hosts[h].slots = 8;
    hosts[h].held = {{0, h == 0 ? 4 : h == 1 ? 8 : 6}};
  }
  const std::vector<uint32_t> place{0};
  const std::vector<bool> stays{false};
  SlotTable table(hosts, false, {place, stays});
  table.keep_idle(0, 10);
  const SlotTable::Rows rows = table.rows({0, {true, true, true}}, Reach::free);
  CHECK(rows[1].idle[demand_aware::kConsumer] == 8);
  CHECK(table.idle_of(0) == 8);
}

TEST_CASE("demand: slots given up as work ends lay on two hosts, and the job that waited on none") {
  PlanFixture scene("share-ratio slots=16 no-reclaim_shared",
                    {"/A", "/B demand=20 allocated=10", "/C demand=6 allocated=6"});
  std::vector<PlanHost> hosts(2);
  for (PlanHost& host : hosts) host.slots = host.facts.slots = 8;
  hosts[0].held = {{scene.find("/B"), 8, 8}};
  hosts[1].held = {{scene.find("/B"), 2, 2}, {scene.find("/C"), 6, 6}};
  const auto compiled = compile(scene.plan);
  const auto returning = [&](int32_t on_host) {
    const std::vector<LeafWork> works{{scene.find("/A"), 0, 0, 0, {{{on_host, 1, on_host}, 1, 0}}}};
    return leaf_demands({scene.plan, compiled, scene.state, *compiled, false, hosts, {}, works})
        .returning;
  };
  CHECK(returning(4) == std::vector<WantedSlots>{{scene.find("/A"), scene.find("/B"), 0, 4}});
  CHECK(returning(2).size() == 1);
  CHECK(returning(6).empty());  // more than it is entitled to
}
