// placement = "exclusive": quotas and claims in whole hosts (broker/rules/plan/README.md, "Which
// slots").
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

Plan exclusive_plan(std::vector<LeafSpec> leaves, PlanPolicy policy = PlanPolicy::hybrid) {
  Plan plan = plan_of(std::move(leaves), policy);
  plan.placement = Placement::exclusive;
  return plan;
}

/// Ends the work on slots that are asked back; it waits again.
void end_work(PlanSite& site, const std::string& cluster) {
  Agent& of = site.agents[cluster];
  for (AgentRow& row : of.groups.at(site.pool().generation).rows) {
    if (row.shrink_to < 0) continue;
    of.pending += std::max(0, row.used - row.shrink_to);
    row.used = std::min(row.used, row.shrink_to);
    row.limit = std::max(row.used, row.shrink_to);
  }
  site.report(cluster);
}

void cycles(PlanSite& site, const std::vector<std::pair<const char*, int32_t>>& wanted, int times) {
  for (int i = 0; i < times; ++i) {
    for (const auto& [cluster, slots] : wanted) {
      site.want(cluster, slots);
      end_work(site, cluster);
    }
    site.cycle();
  }
}

int hosts_of(const PlanSite& site, const std::string& cluster) {
  int hosts = 0;
  for (uint32_t row = 0; row < site.pool().hosts.size(); ++row) {
    hosts += site.pool().at(row, site.member(cluster)).held > 0 ? 1 : 0;
  }
  return hosts;
}

/// /P has the leaves of west and north below its limit of 8 slots, /c is south's. The first host
/// has 8 slots, two more have 2 each.
PlanSite unlike_hosts() {
  Plan plan = exclusive_plan(
      {{"/P", "", 8, 0}, {"/P/a", "west", 4, 0}, {"/P/b", "north", 4, 0}, {"/c", "south", 2, 0}});
  plan.consumers[0].limit = 8;
  plan.consumers[1].parent = plan.consumers[2].parent = 0;
  PlanSite site(plan_config(plan, 3, 8), 3, 2);
  site.agent("east").hosts[0].slots = 8;
  site.hello("east");
  site.run_until_idle();
  return site;
}

}  // namespace

TEST_CASE("exclusive, T8: three hosts of 8, A asks 5, then B 6: each has one to itself") {
  PlanSite site(exclusive_plan({{"/a", "west", 12, 0}, {"/b", "north", 12, 0}}), 3, 8);
  cycles(site, {{"west", 5}, {"north", 6}}, 4);
  CHECK(site.pool().at(0, site.member("west")).held == 5);
  CHECK(site.pool().at(1, site.member("north")).held == 6);
  CHECK(hosts_of(site, "west") == 1);
  CHECK(hosts_of(site, "north") == 1);
}

TEST_CASE("exclusive: a host that is partly in use is no unused one, and goes over as a whole") {
  PlanSite site(exclusive_plan({{"/a", "west", 8, 0}, {"/b", "north", 8, 0}}), 2, 8);
  cycles(site, {{"north", 16}}, 3);
  REQUIRE(site.held("north") == 16);
  site.want("north", 1);  // seven slots of the first host are unused, but not the whole of it
  site.agent("north").pending = 15;
  site.report("north");
  site.want("west", 8);
  site.cycle();
  CHECK(site.pool().at(0, site.member("north")).due == 8);
  CHECK(site.pool().at(1, site.member("west")).due == 8);
}

TEST_CASE("exclusive: a claim that a parent's limit leaves no room for holds an idle host back") {
  PlanSite site = unlike_hosts();
  cycles(site, {{"west", 8}}, 4);
  REQUIRE(site.held("west") == 8);
  // In hosts the limit is two of the three, but /P/a has all 8 slots of it on the first.
  cycles(site, {{"west", 8}, {"north", 2}, {"south", 4}}, 6);
  CHECK(site.held("west") + site.held("north") <= 8);
  CHECK(site.held("south") == 4);
  CHECK(hosts_of(site, "south") == 2);
}

TEST_CASE("exclusive: a leaf whose limit is full on one large host holds an idle host back") {
  Plan plan = exclusive_plan({{"/a", "west", 8, 0}, {"/c", "south", 2, 0}});
  plan.consumers[0].limit = 8;
  PlanSite site(plan_config(plan, 3, 8), 3, 2);
  site.agent("east").hosts[0].slots = 8;
  site.hello("east");
  site.run_until_idle();
  cycles(site, {{"west", 12}}, 4);
  REQUIRE(site.held("west") == 8);
  cycles(site, {{"west", 12}, {"south", 4}}, 6);
  CHECK(site.held("west") == 8);
  CHECK(site.held("south") == 4);
}

TEST_CASE("exclusive: an owner of all slots who wants two of a host's four waits for ever") {
  PlanSite site(exclusive_plan({{"/a", "west", 8, 0}, {"/b", "north", 0, 0}}), 2, 4);
  cycles(site, {{"north", 8}}, 3);
  REQUIRE(site.held("north") == 8);
  cycles(site, {{"north", 8}, {"west", 2}}, 6);
  CHECK(site.held("west") == 2);
  CHECK(hosts_of(site, "west") == 1);
  CHECK(hosts_of(site, "north") == 1);
  // It wants more: the rest of its own host was blocked for others, and is its own now.
  cycles(site, {{"north", 8}, {"west", 4}}, 4);
  CHECK(site.held("west") == 4);
  CHECK(site.held("north") == 4);
}

TEST_CASE("exclusive: two equal quotas take one host to and fro") {
  PlanSite site(exclusive_plan({{"/a", "west", 2, 0}, {"/b", "north", 2, 0}}), 1, 4);
  cycles(site, {{"west", 3}, {"north", 3}}, 4);
  REQUIRE(site.held("west") == 3);
  CHECK(site.held("north") == 0);
  cycles(site, {{"west", 3}, {"north", 3}}, 6);
  CHECK(site.held("west") == 3);
  CHECK(site.held("north") == 0);
}

TEST_CASE("exclusive: limits bind in slots, whatever is left of a host") {
  Plan plan = exclusive_plan({{"/a", "west", 8, 0}, {"/b", "north", 0, 0}});
  plan.consumers[0].limit = 6;
  PlanSite site(plan, 3, 4);
  cycles(site, {{"west", 20}, {"north", 20}}, 6);
  CHECK(site.held("west") == 6);
  CHECK(hosts_of(site, "west") == 2);
  CHECK(site.held("north") == 4);
}

TEST_CASE("exclusive: under ownership whole hosts that are not needed serve others") {
  Plan plan = exclusive_plan({{"/a", "west", 8, 0}, {"/b", "north", 0, 0}}, PlanPolicy::ownership);
  plan.consumers[0].lend_limit = 8;
  plan.consumers[1].borrow_limit = 8;
  PlanSite site(plan, 2, 4);
  cycles(site, {{"west", 8}}, 3);
  REQUIRE(site.held("west") == 8);
  cycles(site, {{"west", 1}, {"north", 3}}, 6);
  CHECK(hosts_of(site, "west") == 1);
  CHECK(site.held("north") == 3);
  cycles(site, {{"west", 8}, {"north", 3}}, 6);
  CHECK(site.held("west") == 8);
  CHECK(site.held("north") == 0);
}

TEST_CASE("exclusive: a host on which its owner still works is none that anybody can have") {
  PlanSite site(exclusive_plan({{"/a", "west", 8, 0}, {"/b", "north", 0, 0}}), 2, 4, 4);
  cycles(site, {{"west", 8}}, 4);
  CHECK(site.held("west") == 4);
  CHECK(hosts_of(site, "west") == 1);
}

TEST_CASE("exclusive: where shares are not reclaimed the last host goes, as its work ends") {
  Plan plan = exclusive_plan({{"/a", "west", 0, 0}, {"/b", "north", 0, 0}, {"/c", "south", 0, 0}},
                             PlanPolicy::share_ratio);
  plan.reclaim_shared = false;
  PlanSite site(plan, 3, 4);
  site.agent("east").hosts[2].slots = 2;
  site.hello("east");
  site.run_until_idle();
  for (int i = 0; i < 3; ++i) {
    site.want("west", 8);
    site.cycle();
  }
  for (int i = 0; i < 2; ++i) {
    site.want("west", 8);
    site.want("south", 2);
    site.cycle();
  }
  REQUIRE(site.held("west") == 8);
  REQUIRE(site.pool().at(2, site.member("south")).held == 2);
  site.agent("north").pending = 4;
  site.report("north");
  for (int i = 0; i < 3; ++i) site.cycle();  // its work goes on
  CHECK(site.pool().at(0, site.member("west")).due == 4);
  CHECK(site.pool().at(1, site.member("west")).due == 0);
  CHECK(site.held("west") == 8);
  for (const Transfer& open : site.pool().transfers) {
    CHECK(open.lowering == wire::Lowering::shrink);
  }
  AgentRow& last = site.agent("west").groups.at(site.pool().generation).rows[1];
  last.used = last.limit = 0;
  site.report("west");
  for (int i = 0; i < 2; ++i) site.cycle();
  CHECK(site.pool().at(1, site.member("north")).held == 4);
}

TEST_CASE("exclusive: an owner waits for the host that it was given a part of, and asks no other") {
  PlanSite site(exclusive_plan({{"/a", "west", 0, 60'000}, {"/b", "north", 4, 0}}), 2, 4);
  for (int i = 0; i < 3; ++i) {
    site.want("west", 8);
    site.cycle();
  }
  REQUIRE(site.held("west") == 8);
  site.agent("north").pending = 3;
  site.report("north");
  for (int i = 0; i < 3; ++i) {
    site.cycle();
    CHECK(site.due("north") == 3);
    CHECK(site.due("west") == 4);
    int32_t asked = 0;
    for (uint32_t row = 0; row < 2; ++row) {
      asked += wanted_from(site.pool(), site.member("west"), row);
    }
    CHECK(asked == 4);  // all of one host
  }
}

TEST_CASE("exclusive: a policy that is switched takes back whole hosts before it hands them out") {
  Plan before = exclusive_plan({{"/a", "west", 4, 0}, {"/b", "north", 4, 0}});
  before.net_policy_switch = false;
  PlanSite site(before, 2, 4);
  for (int i = 0; i < 3; ++i) {
    site.want("west", 8);
    site.cycle();
  }
  REQUIRE(site.held("west") == 8);
  Plan now = before;
  now.policy = PlanPolicy::ownership;
  site.load(plan_config(now, 2, 4));
  CHECK(site.due("west") == 4);
  int64_t wanted = 0;
  for (const Transfer& open : site.pool().transfers) {
    CHECK(open.reason == Reason::policy_switch);
    CHECK(open.to == kNoMember);
    for (const auto& [row, slots] : open.wanted) wanted += slots;
  }
  CHECK(wanted == 4);
  site.run_until_idle();
  end_work(site, "west");
  site.run_until_idle();
  CHECK(hosts_of(site, "west") == 1);
  CHECK(site.held("west") == 4);
}

TEST_CASE("exclusive: of an owner's hosts the idle one serves others, wherever it stands") {
  Plan plan = exclusive_plan({{"/a", "west", 8, 0}, {"/b", "north", 0, 0}}, PlanPolicy::ownership);
  plan.consumers[0].lend_limit = 8;
  plan.consumers[1].borrow_limit = 8;
  PlanSite site(plan, 2, 4);
  cycles(site, {{"west", 8}}, 3);
  REQUIRE(site.held("west") == 8);
  auto& rows = site.agent("west").groups.at(site.pool().generation).rows;
  rows[0].used = 0;
  rows[1].used = 1;
  site.agent("west").pending = 0;
  site.report("west");
  site.agent("north").pending = 3;
  site.report("north");
  for (int i = 0; i < 2; ++i) site.cycle();
  CHECK(site.pool().at(0, site.member("north")).held == 3);
  CHECK(site.pool().at(1, site.member("west")).held == 4);
}

TEST_CASE("exclusive: a host that two leaves shared before is nobody's own") {
  Plan plan = plan_of({{"/a", "west", 4, 0}, {"/b", "north", 4, 0}});
  PlanSite site(plan, 2, 8);
  cycles(site, {{"west", 3}, {"north", 3}}, 3);
  for (const char* cluster : {"west", "north"}) {
    REQUIRE(site.pool().at(0, site.member(cluster)).held == 3);
    site.agent(cluster).pending = 1;
    site.report(cluster);
  }
  plan.placement = Placement::exclusive;
  site.load(plan_config(plan, 2, 8));
  for (const char* cluster : {"west", "north"}) {
    CHECK(site.pool().at(0, site.member(cluster)).due == 3);
  }
}
