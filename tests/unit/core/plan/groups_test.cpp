// Resource groups as slot groups: those that join and leave the configuration, parents and leaves,
// policies that change between a plan and a distribution, what is named how.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/agents/configuration.hpp"
#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/ready_plan.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

const std::vector<LeafSpec> kThree{
    {"/A", "west", 10, 0}, {"/B", "north", 10, 0}, {"/C", "south", 10, 0}};

/// A second resource group of a host of north, with a cycle of its own.
BrokerConfig two_groups() {
  BrokerConfig config = plan_config(plan_of(kThree), 3, 10);
  ResourceGroup batch = config.resource_groups.front();
  batch.name = "batch";
  batch.policies.clear();
  batch.cycle_ms = 20'000;
  config.resource_groups.front().react_ms = batch.react_ms = 3'600'000;  // by their cycles alone
  batch.variants = {plan_of({{"/Z/D", "west", 10, 0}})};
  batch.variants.front().name = "batch";
  config.resource_groups.push_back(batch);
  add_more(config, 1);
  return config;
}

PlanSite site_of_two(const BrokerConfig& config) {
  PlanSite site(config, 3, 10);
  site.add_n0(10);
  return site;
}

BrokerConfig without_groups(BrokerConfig config) {
  config.resource_groups.clear();
  config.policies.clear();
  return config;
}

void use_all(PlanSite& site, const char* cluster) {
  for (auto& [generation, group] : site.agent(cluster).groups) {
    for (AgentRow& row : group.rows) row.used = row.limit;
  }
  site.report(cluster);
}

/// Two levels: /R with /R/A and /R/B, and /S, whose cluster nobody knows.
Plan nested() {
  Plan plan = plan_of({{"/R", "", 0, 0},
                       {"/R/A", "west", 10, 0},
                       {"/R/B", "north", 10, 0},
                       {"/S", "elsewhere", 10, 0}});
  plan.consumers[0].owned.reset();
  for (size_t c : {1u, 2u}) plan.consumers[c].parent = 0;
  return plan;
}

}  // namespace

TEST_CASE("plan: each resource group has its own slots and its own cycle") {
  PlanSite site = site_of_two(two_groups());
  REQUIRE(site.state.resource_groups.size() == 2);
  site.agent("west").pending = 10;
  site.report("west");
  site.cycle();
  CHECK(site.held("compute:/A", site.member("west")) == 10);
  CHECK(site.held("batch:/Z/D", 1) == 0);
  site.cycle();
  CHECK(site.held("batch:/Z/D", 1) == 10);
  CHECK(plan_of_policy(site.state, "pool") == 0);
  CHECK(plan_of_policy(site.state, "more") == 1);
  CHECK(plan_of_policy(site.state, "other") == kNoIndex);
}

TEST_CASE("plan: leases of plans are found by their names, and no others") {
  PlanSite site = site_of_two(two_groups());
  CHECK(find_lease_member(site.state, "compute:/B").member == site.member("north"));
  CHECK(find_lease_member(site.state, "batch:/Z/D").member == 1);
  CHECK(find_lease(site.state, "compute:/Z") == kNoIndex);
  CHECK(find_lease(site.state, "nothing:/A") == kNoIndex);
  CHECK(find_lease(site.state, "pool:west") == kNoIndex);
  CHECK(lease_id(site.state, site.pool()) == "compute");
  CHECK(lease_id(site.state, site.pool(), kProvider) == "compute");  // east is no leaf
  CHECK(find_resource_group(site.state, "batch") == 1);
  CHECK(find_resource_group(site.state, "pool") == kNoIndex);
}

TEST_CASE("plan: a resource group that leaves the configuration gives all back as work ends") {
  PlanSite site(plan_of(kThree), 3, 10);
  site.want("west", 20);
  site.cycle();
  site.want("west", 20);
  const BrokerConfig config = site.state.config;
  site.load(without_groups(config));
  site.run_until_idle();
  const SlotGroup& group = site.state.slot_groups.front();
  CHECK(group.phase == Phase::draining);
  REQUIRE(group.transfers.size() == 1);
  CHECK(group.transfers.front().reason == Reason::draining);
  CHECK(group.transfers.front().lowering == wire::Lowering::shrink);
  CHECK(resource_group(site.state, "compute") == nullptr);
  CHECK(plan_in_force(site.state, site.state.resource_groups.front()) == nullptr);
  CHECK(take_snapshot(site.state, 0).plan == nullptr);
  site.want("west", 8);
  site.run_until_idle();
  CHECK(group.at(0, 1).held == 8);
  site.load(without_groups(config));
  site.want("west", 0);
  site.run_until_idle();
  site.cycle();
  CHECK(site.state.slot_groups.front().phase == Phase::closed);
  CHECK_FALSE(site.state.resource_groups.front().configured);
}

TEST_CASE(
    "plan: a resource group that comes back begins anew beside what it is still giving back") {
  PlanSite site(plan_of(kThree), 3, 10);
  site.want("west", 20);
  site.cycle();
  site.want("west", 20);
  const BrokerConfig config = site.state.config;
  site.load(without_groups(config));
  site.run_until_idle();
  site.load(config);
  site.run_until_idle();
  CHECK(site.state.slot_groups.front().phase == Phase::draining);
  REQUIRE(site.state.slot_groups.size() == 2);
  CHECK(site.state.slot_groups.back().phase == Phase::active);
  CHECK(site.state.resource_groups.size() == 1);
  CHECK(site.state.resource_groups.front().slot_groups.size() == 2);
  CHECK(site.state.resource_groups.front().consumers.size() == 3);
  use_all(site, "west");
  for (AgentRow& row : site.agent("west").groups.begin()->second.rows) row.used = row.limit = 0;
  site.report("west");
  site.cycle();
  CHECK(site.state.slot_groups.front().phase == Phase::closed);
  derive(site.state);  // finds nothing to say of what is closed
  CHECK(site.state.resource_groups.front().slot_groups == std::vector<uint32_t>{1});
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: several slot groups of a resource group that left wait in the order they came") {
  BrokerConfig config = plan_config(plan_of(kThree), 2, 10);
  ExportPolicy more = config.policies.front();
  more.name = "more";
  more.hosts = {"h2"};
  config.policies.push_back(more);
  config.resource_groups.front().policies = {"more", "pool"};
  PlanSite site(config, 3, 10);
  CHECK(site.state.resource_groups.front().slot_groups == std::vector<uint32_t>{1, 0});
  site.agent("west").pending = 30;
  site.report("west");
  site.cycle();
  use_all(site, "west");
  site.load(without_groups(config));
  CHECK(site.state.resource_groups.front().slot_groups == std::vector<uint32_t>{0, 1});
  CHECK(lease_id(site.state, site.state.slot_groups[0], 1) == "compute:/A@pool");
}

TEST_CASE("plan: a policy that is taken out of its group and dealt out drains the plan's slots") {
  PlanSite site(plan_of(kThree), 3, 10);
  site.want("west", 20);
  site.cycle();
  site.want("west", 20);
  BrokerConfig dealt = site.state.config;
  const BrokerConfig planned = dealt;
  dealt.resource_groups.clear();
  dealt.policies.front().distribution = {{"north", 1}};
  site.load(dealt);
  site.run_until_idle();
  CHECK(site.state.slot_groups.front().phase == Phase::draining);
  REQUIRE(site.state.slot_groups.size() == 2);
  CHECK(lease_id(site.state, site.state.slot_groups.back()) == "pool:north");
  CHECK(find_lease(site.state, "pool:north") == 1);
  CHECK(find_lease(site.state, "pool:west") == kNoIndex);
  site.load(planned);
  site.run_until_idle();
  REQUIRE(site.state.slot_groups.size() == 3);
  CHECK(site.state.slot_groups[1].resource_group == kNoIndex);
  CHECK(site.state.slot_groups[1].phase != Phase::active);
  CHECK(site.state.slot_groups[2].resource_group == 0);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: hosts that the provider does not have make no slot group") {
  BrokerConfig config = plan_config(plan_of(kThree), 3, 10);
  config.policies.front().hosts = {"unknown"};
  PlanSite site(config, 3, 10);
  CHECK(site.state.slot_groups.empty());
  CHECK(site.state.resource_groups.front().slot_groups.empty());
  site.cycle();
  CHECK(take_snapshot(site.state, 0).state.slots == 0);
}

TEST_CASE("plan: parents are no members; a leaf of an unknown cluster takes no part") {
  PlanSite site(nested(), 3, 10);
  REQUIRE(site.pool().members.size() == 3);
  site.want("west", 30);
  site.cycle();
  CHECK(site.held("west") == 30);
  const ResourceGroupLedger& ledger = site.state.resource_groups.front();
  CHECK(ledger.consumers[0].numbers[static_cast<size_t>(ConsumerNumber::allocated)] == 30);
  CHECK(ledger.consumers[0].priority == kNoIndex);
  CHECK(ledger.consumers[3].reason == Reason::report_missing);
  const PlanSnapshot snapshot = take_snapshot(site.state, 0);
  CHECK_FALSE(snapshot.state.leaves[3].connected);
}

TEST_CASE("plan: a branch below its quota says so, and its leaves why") {
  PlanSite site(nested(), 1, 10);
  site.want("west", 10);
  site.cycle();
  CHECK(site.due("west") == 10);
  // All that is left are slots of a host that west cannot use.
  Plan picky = nested();
  picky.consumers[2].select = "type==b";
  site.load(plan_config(picky, 1, 10));
  site.want("north", 10);
  site.cycle();
  CHECK(site.state.resource_groups.front().consumers[2].reason == Reason::no_slot);
}

TEST_CASE("plan: which variant holds when: that of the period, before the first one the first") {
  State state;
  state.windows.plans = {{"other", {{Instant{0}, 9}}},
                         {"compute", {}},
                         {"compute", {{Instant{100}, 1}, {Instant{200}, 2}}}};
  CHECK(variant_at(state, "compute", Instant{99}) == 1);
  CHECK(variant_at(state, "compute", Instant{100}) == 1);
  CHECK(variant_at(state, "compute", Instant{199}) == 1);
  CHECK(variant_at(state, "compute", Instant{200}) == 2);
  CHECK(variant_at(state, "nothing", Instant{200}) == 0);
}

TEST_CASE("plan: of a ledger that knows less than the configuration nothing is assumed") {
  PlanSite site(plan_of(kThree), 3, 10);
  ResourceGroupLedger& ledger = site.state.resource_groups.front();
  const Plan& plan = *plan_in_force(site.state, ledger);
  ledger.consumers.pop_back();
  CHECK(ledger_positions(ledger, plan) == std::vector<uint32_t>{0, 1, kNoIndex});
  derive_plans(site.state);
  CHECK(ledger.consumers[1].priority == 1);
  ledger.variant = 7;
  CHECK(plan_in_force(site.state, ledger) == nullptr);
}

TEST_CASE(
    "plan: agents are told what goes home, of a group that drains and of hosts that left it") {
  PlanSite site(plan_of(kThree), 3, 10);
  site.want("west", 30);
  site.cycle();
  site.want("west", 30);
  const uint32_t east = find_cluster(site.state, "east");
  const auto going_home = [&] {
    const wire::Configuration configuration = configuration_for(site.state, east);
    return std::count_if(configuration.groups.front().hosts.begin(),
                         configuration.groups.front().hosts.end(),
                         [](const wire::ConfiguredHost& host) { return host.draining; });
  };
  CHECK(going_home() == 0);
  BrokerConfig fewer = site.state.config;
  fewer.policies.front().hosts.pop_back();
  site.load(fewer);
  CHECK(going_home() == 1);
  site.load(without_groups(fewer));
  CHECK(going_home() == 3);
}

TEST_CASE("plan: a lease of a plan lasts as long as any consumer's grace allows") {
  std::vector<LeafSpec> leaves = kThree;
  leaves[1].grace_ms = 90'000;
  BrokerConfig config = plan_config(plan_of(leaves), 3, 10);
  config.lease_ttl_ms = 60'000;
  PlanSite site(config, 3, 10);
  site.agent("west").self_expiring = true;
  site.hello("west");
  site.run_until_idle();
  CHECK(site.state.clusters[find_cluster(site.state, "west")].configured_lease_ms == 150'000);
}

namespace {

/// One plan over 8 slots of east and 8 of north, half of which each of two leaves owns. South has
/// all of east's, west all of north's; both want more.
PlanSite with_two_providers() {
  BrokerConfig config =
      plan_config(plan_of({{"/A", "south", 8, 5'000}, {"/B", "west", 8, 5'000}}), 1, 8);
  add_more(config);
  PlanSite site(config, 1, 8);
  site.add_n0(8);
  for (const char* name : {"south", "west"}) {
    site.agent(name).pending = 8;
    site.report(name);
    site.cycle();
    use_all(site, name);
  }
  return site;
}

}  // namespace

TEST_CASE("plan: while a provider is away nobody's work ends for it on the hosts of others") {
  // Symptom: an agent of a providing cluster was restarted; its slots counted for nobody meanwhile,
  // so that what others owned was scaled to those that were left, and running work was reclaimed
  // there.
  PlanSite site = with_two_providers();
  REQUIRE(site.held("south") == 8);
  const auto before = site.count(RecordKind::transfer_started);
  SECTION("its agent is lost") {
    site.lose("north");
  }
  SECTION("its workload manager does not answer") {
    site.agent("north").degraded = true;
    site.report("north");
  }
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(site.count(RecordKind::transfer_started) == before);
  CHECK(site.due("south") == 8);
  CHECK(violations(site.state).empty());
  const PlanSnapshot snapshot = take_snapshot(site.state, 0);
  CHECK(snapshot.state.slots == 16);
  CHECK(snapshot.state.leaves[1].allocated == 8);
  CHECK(snapshot.hosts.size() == 1);
}

TEST_CASE("plan: whole hosts of a provider that is away are their holders' too") {
  PlanSite site = with_two_providers();
  BrokerConfig config = site.state.config;
  config.resource_groups.front().variants.front().placement = Placement::exclusive;
  site.load(config);
  site.cycle();
  const auto before = site.count(RecordKind::transfer_started);
  site.lose("north");
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(site.count(RecordKind::transfer_started) == before);
  CHECK(site.due("south") == 8);
  CHECK(take_snapshot(site.state, 0).state.slots == 2);  // hosts
}
