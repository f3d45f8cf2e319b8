// Members are asked for a plan's dues: for no more than is missing, by the level of what they hold,
// whatever happened in between.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

const std::vector<LeafSpec> kThree{
    {"/A", "west", 10, 0}, {"/B", "north", 10, 0}, {"/C", "south", 10, 0}};

PlanSite all_with_west(const Plan& plan, int hosts, int32_t slots) {
  PlanSite site(plan, hosts, slots);
  site.want("west", hosts * slots);
  site.cycle();
  site.want("west", hosts * slots);
  REQUIRE(site.held("west") == hosts * slots);
  return site;
}

Plan limited(size_t consumer, int64_t limit) {
  Plan plan = plan_of(kThree);
  plan.consumers[consumer].limit = limit;
  return plan;
}

/// "west>north 10 reclaim" of each open transfer.
std::string transfers(const PlanSite& site, const SlotGroup& group) {
  std::string text;
  for (const Transfer& open : group.transfers) {
    const auto name = [&](size_t m) {
      return m == kNoMember ? "nobody" : site.state.clusters[group.members[m].cluster].name;
    };
    int32_t slots = 0;
    for (const auto& [row, wanted] : open.wanted) slots += wanted;
    const bool reclaim = open.lowering == wire::Lowering::reclaim;
    text += (text.empty() ? "" : ", ") + name(open.from) + ">" + name(open.to) + " " +
            std::to_string(slots) + (reclaim ? " reclaim" : "");
  }
  return text;
}
std::string transfers(const PlanSite& site) {
  return transfers(site, site.pool());
}

/// On one host of 30 slots west uses 12, north the others.
PlanSite one_host_in_use() {
  PlanSite site(plan_of(kThree), 1, 30);
  site.want("west", 12);
  site.cycle();
  site.want("west", 12);
  site.want("north", 18);
  site.cycle();
  site.want("north", 18);
  return site;
}

}  // namespace

TEST_CASE("plan: slots that nobody holds meet a claim before those that are reclaimed for it") {
  PlanSite site = all_with_west(plan_of(kThree), 1, 30);
  site.want("north", 10);
  site.load(plan_config(limited(0, 20), 1, 30));
  site.run_until_idle();
  REQUIRE(transfers(site) == "west>north 10 reclaim");
  // The provider exports ten more, which nobody holds.
  BrokerConfig more = plan_config(limited(0, 20), 1, 40);
  site.agent("east").hosts.front().slots = 40;
  site.hello("east");
  site.load(more);
  site.run_until_idle();
  CHECK(site.held("east") == 0);
  CHECK(site.due("north") == 10);
  CHECK(site.held("north") == 10);
  CHECK(site.due("west") == 20);
  site.want("west", 20);
  site.run_until_idle();
  CHECK(site.unallocated() == 10);
}

TEST_CASE(
    "plan: what a provider without a leaf still runs is not given away, and comes as it ends") {
  PlanSite site(plan_of(kThree), 1, 30, 30);
  REQUIRE(transfers(site) == "east>nobody 30");
  site.want("west", 30);
  site.cycle();
  CHECK(*take_snapshot(site.state, 0).state.slots == 0);
  CHECK(site.due("west") == 0);
  site.want("east", 18);
  site.run_until_idle();
  CHECK(site.held("east") == 18);
  site.cycle();
  CHECK(site.held("west") == 12);
  CHECK(transfers(site) == "east>nobody 18");
  CHECK(site.pool().transfers.front().slots_released == 12);
}

TEST_CASE("plan: of a reclaim that is too much the rest goes on, host by host") {
  std::vector<LeafSpec> leaves = kThree;
  leaves[0].grace_ms = 90'000;
  PlanSite site = all_with_west(plan_of(leaves), 2, 10);
  site.want("north", 10);
  site.want("south", 10);
  site.cycle();
  CHECK(transfers(site) == "west>north 7 reclaim, west>south 6 reclaim");
  // south wants nothing any more: what was to come from west stays there.
  site.want("south", 0);
  site.cycle();
  CHECK(site.due("west") == 10);
  // The member that slots were asked for is only a name: whoever is due them gets them.
  CHECK(transfers(site) == "west>north 7 reclaim, west>south 3 reclaim");
  CHECK(site.due("north") == 10);
  site.want("north", 4);
  site.cycle();
  CHECK(site.due("west") == 16);
  CHECK(transfers(site) == "west>north 1 reclaim, west>south 3 reclaim");
  CHECK(site.pool().transfers.front().grace_ms == 90'000);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: of two losers each gives up less once the claimant wants less") {
  PlanSite site(plan_of({{"/A", "west", 0, 0}, {"/B", "north", 0, 0}, {"/C", "south", 20, 0}}), 1,
                20);
  site.want("west", 10);
  site.cycle();
  site.want("west", 10);
  site.want("north", 10);
  site.cycle();
  site.want("north", 10);
  site.want("south", 20);
  site.cycle();
  REQUIRE(transfers(site) == "north>south 10 reclaim, west>south 10 reclaim");
  site.want("south", 10);
  site.cycle();
  CHECK(site.due("west") == 5);
  CHECK(site.due("north") == 5);
  CHECK(transfers(site) == "west>south 5 reclaim, north>south 5 reclaim");
}

TEST_CASE("plan: of two claimants of one host the first by priority gets what comes back first") {
  PlanSite site = all_with_west(plan_of(kThree), 1, 30);
  site.want("south", 10);
  site.want("north", 10);
  site.cycle();
  REQUIRE(site.due("west") == 10);
  site.want("west", 18);
  site.run_until_idle();
  CHECK(site.held("north") == 10);
  CHECK(site.held("south") == 2);
}

TEST_CASE("plan: a provider's leaf and another one are reclaimed from at once, host by host") {
  PlanSite site(plan_of({{"/E", "east", 5, 0}, {"/A", "west", 25, 0}, {"/B", "north", 0, 0}}), 3,
                10);
  site.want("north", 10);
  site.cycle();
  site.want("north", 10);
  site.want("east", 20);
  site.cycle();
  REQUIRE(site.due("east") == 20);
  site.want("west", 25);
  for (int i = 0; i < 2; ++i) site.cycle();
  CHECK(site.due("west") == 25);
  CHECK(site.due("east") == 5);
  CHECK(site.due("north") == 0);
  site.want("east", 5);
  site.want("north", 0);
  site.run_until_idle();
  site.cycle();
  CHECK(site.held("west") == 25);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: a reclaim takes the place of a shrink on its hosts, others go on") {
  Plan plan = plan_of({{"/A", "west", 0, 0}, {"/B", "north", 0, 0}, {"/C", "south", 0, 0}},
                      PlanPolicy::share_ratio);
  plan.consumers[2].select = "type==b";
  PlanSite site(plan, 2, 10);
  site.agent("east").hosts[1].type = "b";
  site.hello("east");
  site.run_until_idle();
  site.want("west", 20);
  site.cycle();
  site.want("west", 20);
  site.want("north", 5);
  site.cycle();
  REQUIRE(transfers(site) == "west>north 5 reclaim");
  Plan patient = plan;
  patient.reclaim_shared = false;
  site.load(plan_config(patient, 2, 10));
  site.want("south", 4);
  site.cycle();
  REQUIRE(transfers(site) == "west>north 5 reclaim, west>nobody 4");
  site.load(plan_config(plan, 2, 10));
  site.want("south", 10);
  site.cycle();
  // A row has one kind of lowering at a time: the rest is asked when the reclaim is done.
  CHECK(site.due("south") == 7);
  CHECK(site.due("west") == 8);
  CHECK(transfers(site).find("west>north 5 reclaim") != std::string::npos);
  site.want("west", 8);
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(site.held("south") == 7);
  CHECK(site.held("north") == 5);
  CHECK(site.held("west") == 8);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: slots that come back while their provider is lost wait for it, unallocated") {
  PlanSite site = all_with_west(plan_of(kThree), 2, 10);
  site.step(ordered(Command::drain, "west"));
  site.run_until_idle();
  site.lose("east");
  site.want("west", 5);
  site.run_until_idle();
  CHECK(site.unallocated() == 15);
  CHECK(site.held("west") == 5);
  site.want("north", 20);
  site.cycle();
  CHECK(site.held("north") == 0);
  site.hello("east");
  site.run_until_idle();
  site.cycle();
  CHECK(site.held("north") == 15);
}

TEST_CASE("plan: an unheard member keeps its slots of a host that lost some, others give them up") {
  PlanSite site = one_host_in_use();
  REQUIRE(site.held("north") == 18);
  site.lose("west");
  site.load(plan_config(plan_of(kThree), 1, 20));
  site.cycle();
  CHECK(site.due("west") == 12);
  CHECK(site.due("north") == 8);
}

TEST_CASE("plan: where all are heard the lowest priority gives up what a host lost") {
  PlanSite site = one_host_in_use();
  site.load(plan_config(plan_of(kThree), 1, 20));
  CHECK(site.due("west") + site.due("north") == 20);
  CHECK(site.due("west") == 10);
}

TEST_CASE("plan: an unheard member is due what it holds, not what was reclaimed from it") {
  PlanSite site = all_with_west(plan_of(kThree), 1, 30);
  site.want("north", 10);
  site.cycle();
  REQUIRE(site.due("west") == 20);
  site.lose("west");
  site.cycle();
  CHECK(site.due("west") == 30);
  CHECK(site.due("north") == 0);
  const PlanSnapshot snapshot = take_snapshot(site.state, 0);
  CHECK_FALSE(snapshot.state.leaves[0].connected);
  CHECK(snapshot.state.leaves[0].allocated == 30);
}

TEST_CASE("plan: after a restart nothing moves until everybody is heard") {
  PlanSite site = all_with_west(plan_of(kThree), 2, 10);
  site.want("north", 10);
  site.restart_broker();
  CHECK(site.pool().quarantined);
  CHECK_FALSE(takes_part(site.state, site.pool()));
  site.cycle();
  CHECK(site.due("west") == 20);
  for (const char* name : {"east", "west", "north", "south"}) site.hello(name);
  site.run_until_idle();
  CHECK_FALSE(site.pool().quarantined);
  site.cycle();
  CHECK(site.due("north") == 10);
}

TEST_CASE("plan: a group in breach takes no part") {
  PlanSite site = all_with_west(plan_of(kThree), 2, 10);
  AgentRow& row = site.agent("west").groups.begin()->second.rows.front();
  row.limit = row.used = 12;
  site.report("west");
  REQUIRE(site.pool().breach);
  CHECK_FALSE(takes_part(site.state, site.pool()));
  site.want("north", 10);
  site.cycle();
  CHECK(site.due("north") == 0);
  row.limit = row.used = 10;
  site.report("west");
  site.run_until_idle();
  site.cycle();
  CHECK(site.due("north") == 10);
}

TEST_CASE("plan: a cluster whose workload manager does not answer keeps what it holds") {
  PlanSite site = all_with_west(plan_of(kThree), 2, 10);
  site.agent("west").degraded = true;
  site.report("west");
  site.want("north", 10);
  site.cycle();
  CHECK(site.due("west") == 20);
  CHECK(site.due("north") == 0);
  site.agent("west").degraded = false;
  site.report("west");
  site.cycle();
  CHECK(site.due("north") == 10);
}

TEST_CASE("plan: a host that its provider no longer has is not counted") {
  PlanSite site(plan_of(kThree), 2, 10);
  REQUIRE(*take_snapshot(site.state, 0).state.slots == 20);
  site.agent("east").hosts.pop_back();
  site.hello("east");
  site.run_until_idle();
  CHECK(*take_snapshot(site.state, 0).state.slots == 10);
}

TEST_CASE("plan: an operator may have a plan evaluated at once") {
  PlanSite site(plan_of(kThree), 2, 10);
  site.want("west", 20);
  REQUIRE(site.held("west") == 0);
  OperatorCommand rebalance = ordered(Command::rebalance);
  rebalance.lease = "compute:/A";
  site.step(rebalance);
  site.run_until_idle();
  CHECK(site.held("west") == 20);
}

TEST_CASE("plan: a group that drains asks nothing more of its provider") {
  PlanSite site(plan_of(kThree), 1, 30, 30);
  REQUIRE(transfers(site) == "east>nobody 30");
  BrokerConfig config = site.state.config;
  config.resource_groups.front().policies.clear();
  config.policies.clear();
  site.load(config);
  site.run_until_idle();
  site.cycle();
  CHECK(site.state.slot_groups.front().transfers.empty());
  CHECK(site.state.slot_groups.front().phase == Phase::closed);
  CHECK(site.state.resource_groups.front().configured);
}

TEST_CASE("plan: what a provider's leaf ran when it exported is reclaimed where others claim it") {
  PlanSite site(plan_of({{"/W", "west", 8, 0}, {"/E", "east", 2, 1000}}), 1, 10, 6);
  CHECK(site.due("east") == 6);
  CHECK(site.held("east") == 6);
  CHECK(site.unallocated() == 4);
  site.want("west", 8);
  site.cycle();
  CHECK(site.held("west") == 4);
  CHECK(site.due("east") == 2);
  CHECK(transfers(site) == "east>west 4 reclaim");
  CHECK(site.pool().transfers.front().grace_ms == 1000);
  site.cycle();
  CHECK(transfers(site) == "east>west 4 reclaim");
}
