// Reclaims whose hosts the loser's agent chooses: what is ordered, and what comes of it.
#include <catch2/catch.hpp>

#include "tests/unit/core/ledger/choosing_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("a reclaim from an agent that chooses names a sum of hosts, and takes what it gives") {
  ChoosingSite site;
  REQUIRE(site.held("west") == 12);
  site.wants("north", 2);
  REQUIRE(site.asked_of("west") == 2);
  REQUIRE(site.agents["west"].sets.size() == 1);
  CHECK(site.agents["west"].sets[0].set.sum == 10);
  CHECK(site.agents["west"].sets[0].set.hosts.size() == 3);
  CHECK(site.agents["west"].sets[0].set.grace_ms == 60'000);
  CHECK(site.limits_of("west") == 12);  // no host is named
  site.end_work("west", 0, 2, 1);
  site.end_work("west", 0, 1, 1);
  CHECK(site.asked_of("west") == 0);
  for (const uint32_t row : {1U, 2U}) {
    CHECK(site.held_at("north", 0, row) == 1);
    CHECK(site.due_at("north", 0, row) == 1);
    CHECK(site.lost_by("west", 0, row) == 1);
  }
  CHECK(site.held("west") == 10);
  CHECK(site.held("north") == 2);
  CHECK(site.pool().transfers.empty());
  site.cycle();
  site.cycle();
  CHECK(site.held("west") == 10);
}

TEST_CASE("an agent that does not choose is told which hosts, as before") {
  ChoosingSite site;
  site.agents["west"].chooses = false;
  site.hello("west");
  site.run_until_idle();
  site.wants("north", 2);
  CHECK(site.agents["west"].sets.empty());
  int32_t shrinking = 0;
  for (const AgentRow& row : site.agents["west"].groups.at(site.generation(0)).rows) {
    shrinking += row.shrink_to >= 0 ? kSlots - row.shrink_to : 0;
  }
  CHECK(shrinking == 2);
}

TEST_CASE("one order covers all groups of the plan: what another provider's host gives counts") {
  ChoosingSite site(two_policies(halves()), 2);
  REQUIRE(site.limits_of("west") == 12);
  site.wants("north", 3);
  REQUIRE(site.agents["west"].sets.size() == 1);
  CHECK(site.agents["west"].sets[0].set.hosts.size() == 3);
  const size_t given = site.part(0).transfers.empty() ? 0 : 1;  // not where it was nominated
  for (int slot = 0; slot < 3; ++slot) site.end_work("west", given, 0, 1);
  CHECK(site.asked_of("west") == 0);
  CHECK(site.held_at("north", given, 0) == 3);
  CHECK(site.lost_by("west", given, 0) == 3);
  for (const size_t group : {0U, 1U}) CHECK(site.part(group).transfers.empty());
  CHECK(site.limits_of("west") == 9);
}

TEST_CASE("what is nominated in two groups may all come from one host") {
  ChoosingSite site(two_policies(halves()), 2);
  site.wants("north", 6);
  REQUIRE(site.asked_of("west") == 6);
  site.end_work("west", 1, 0, 4);
  site.end_work("west", 0, 1, 2);
  CHECK(site.asked_of("west") == 0);
  CHECK(site.held_at("north", 1, 0) == 4);
  CHECK(site.held_at("north", 0, 1) == 2);
  CHECK(site.limits_of("west") == 6);
}

TEST_CASE(
    "a host that must be given back whatever the plan says is named, the rest may be chosen") {
  ChoosingSite site;
  OperatorCommand close;
  close.command = Command::close;
  close.cluster = "east";
  close.host = "h1";
  close.reclaim = true;
  close.by = "test";
  site.wants("north", 2);
  site.step(close);
  site.run_until_idle();
  site.cycle();
  const Agent& west = site.agents["west"];
  CHECK(west.groups.at(site.generation(0)).rows[1].shrink_to == 0);
  for (const AgentSet& held : west.sets) {
    for (const wire::SetHost& host : held.set.hosts) CHECK(host.host != 1);
  }
}

TEST_CASE("a claimant's requirement says which hosts are in the set") {
  Plan plan = halves();
  plan.consumers[1].select = "mem>100";
  BrokerConfig config = plan_config(plan, 3, kSlots);
  ChoosingSite site(config, 3);
  for (wire::HostFacts& host : site.agents["east"].hosts) host.mem_mb = host.name == "h0" ? 0 : 200;
  site.hello("east");
  site.run_until_idle();
  site.wants("north", 2);
  REQUIRE(site.agents["west"].sets.size() == 1);
  const std::vector<wire::SetHost>& hosts = site.agents["west"].sets[0].set.hosts;
  CHECK(hosts.size() == 2);
  for (const wire::SetHost& host : hosts) CHECK(host.host != 0);
}

TEST_CASE("claimants that can use different hosts: one of them gets its hosts by name") {
  Plan plan = plan_of({{"/A", "west", 0, 60'000}, {"/B", "north", 6, 0}, {"/C", "south", 6, 0}});
  plan.consumers[1].select = "mem>100";
  ChoosingSite site(plan_config(plan, 3, kSlots), 3);
  for (wire::HostFacts& host : site.agents["east"].hosts) host.mem_mb = host.name == "h0" ? 0 : 200;
  site.hello("east");
  site.run_until_idle();
  site.agents["south"].pending = 2;
  site.report("south");
  site.wants("north", 2);
  const Agent& west = site.agents["west"];
  REQUIRE(west.sets.size() == 1);
  int64_t named = 0;
  for (const AgentRow& row : west.groups.at(site.generation(0)).rows) {
    named += row.shrink_to >= 0 ? row.limit - row.shrink_to : 0;
  }
  CHECK(site.asked_of("west") + named == 4);
  CHECK(named == 2);
  int left = 0;
  for (const Transfer& open : site.pool().transfers) left += left_to_agent(site.pool(), open);
  CHECK(left == 1);
  // Both get theirs, whatever the agent gives of the set.
  for (uint32_t row = 0; row < 3; ++row) {
    AgentRow& at = site.agents["west"].groups.at(site.generation(0)).rows[row];
    at.used = std::max(0, at.used - 2);
    if (at.shrink_to >= 0) at.limit = std::max(at.shrink_to, std::min(at.limit, at.used));
    Site::give_to_sets(site.agents["west"]);
  }
  site.run_until_idle();
  site.cycle();
  CHECK(site.held("north") == 2);
  CHECK(site.held("south") == 2);
  CHECK(site.held("west") == 8);
}

TEST_CASE("under exclusive placement whole hosts are asked for, whichever") {
  Plan plan = plan_of({{"/A", "west", 8, 60'000}, {"/B", "north", 4, 0}});
  plan.placement = Placement::exclusive;
  ChoosingSite site(plan);
  REQUIRE(site.held("west") == 12);
  site.wants("north", 4);
  REQUIRE(site.agents["west"].sets.size() == 1);
  CHECK(site.agents["west"].sets[0].set.whole_hosts);
  CHECK(site.agents["west"].sets[0].set.hosts.size() == 3);
  CHECK(site.asked_of("west") == 4);
  site.end_work("west", 0, 1, 4);
  site.cycle();
  CHECK(site.held_at("north", 0, 1) == 4);
  CHECK(site.held_at("west", 0, 0) == 4);
  CHECK(site.held_at("west", 0, 2) == 4);
  CHECK(site.asked_of("west") == 0);
}

TEST_CASE("the provider's own leaf gives up slots of whichever of its hosts, as any other") {
  ChoosingSite site(
      plan_config(plan_of({{"/A", "east", 6, 60'000}, {"/B", "north", 6, 0}}), 3, kSlots), 3);
  site.agents["east"].chooses = true;
  site.hello("east");
  site.run_until_idle();
  site.fill("east");
  REQUIRE(site.held("east") == 12);
  site.wants("north", 2);
  REQUIRE(site.asked_of("east") == 2);
  site.end_work("east", 0, 2, 2);
  CHECK(site.held_at("north", 0, 2) == 2);
  CHECK(site.held("east") == 10);
}

TEST_CASE("the provider's own leaf gets slots of whichever host its borrower chose") {
  ChoosingSite site(
      plan_config(plan_of({{"/A", "west", 6, 60'000}, {"/B", "east", 6, 0}}), 3, kSlots), 3);
  REQUIRE(site.held("west") == 12);
  site.wants("east", 2);
  REQUIRE(site.asked_of("west") == 2);
  site.end_work("west", 0, 2, 2);
  CHECK(site.held_at("east", 0, 2) == 2);
  CHECK(site.held("west") == 10);
}

TEST_CASE("a host that its owner calls down is in no set") {
  ChoosingSite site;
  site.agents["east"].hosts[2].up = false;
  site.step(InventoryReported{"east", site.agents["east"].session, site.agents["east"].hosts});
  site.run_until_idle();
  site.wants("north", 2);
  for (const AgentSet& held : site.agents["west"].sets) {
    for (const wire::SetHost& host : held.set.hosts) CHECK(host.host != 2);
  }
  CHECK(site.asked_of("west") == 2);
}

TEST_CASE("history tells of one reclaim, whichever hosts it came from") {
  ChoosingSite site;
  const auto count = [&](RecordKind kind) { return site.count(kind); };
  const int started = count(RecordKind::transfer_started);
  const int done = count(RecordKind::transfer_done);
  site.wants("north", 2);
  CHECK(left_to_agent(site.pool(), site.pool().transfers.front()));
  site.end_work("west", 0, 2, 1);
  site.end_work("west", 0, 1, 1);
  CHECK(count(RecordKind::transfer_started) == started + 1);
  CHECK(count(RecordKind::transfer_done) == done + 1);
}

TEST_CASE("a host that goes down after it was nominated is in no set, and gives what is asked") {
  ChoosingSite site;
  site.wants("north", 2);
  REQUIRE(site.nominated_at("west", 0, 0) == 2);
  site.turn_host("east", 0, false);
  site.run_until_idle();
  CHECK(site.asked_of("west") == 0);
  CHECK(site.agents["west"].groups.at(site.generation(0)).rows[0].shrink_to == 2);
}

TEST_CASE("a set has the grace of its own loser, whatever others get on the same hosts") {
  Plan plan =
      plan_of({{"/A", "west", 3, 60'000}, {"/B", "north", 6, 0}, {"/C", "south", 3, 90'000}});
  plan.consumers[0].limit = plan.consumers[2].limit = 6;
  ChoosingSite site(plan);
  site.fill("south");
  REQUIRE(site.held("west") == 6);
  REQUIRE(site.held("south") == 6);
  site.wants("north", 6);
  REQUIRE(site.asked_of("west") == 3);
  CHECK(site.agents["west"].sets[0].set.grace_ms == 60'000);
}

TEST_CASE("a resource group that leaves the configuration is asked back by name, all of it") {
  ChoosingSite site;
  site.wants("north", 2);
  REQUIRE(site.asked_of("west") == 2);
  BrokerConfig config = site.state.config;
  config.resource_groups.clear();
  config.policies.clear();
  site.load(config);
  site.run_until_idle();
  CHECK(site.asked_of("west") == 0);
  const auto rows = [&site]() -> std::vector<AgentRow>& {
    return site.agents["west"].groups.begin()->second.rows;
  };
  CHECK(rows().at(0).shrink_to == 2);  // work that was signalled to end ends first
  CHECK(rows().at(1).shrink_to == 0);
  CHECK(rows().at(2).shrink_to == 0);
  for (AgentRow& row : rows()) row.used = row.limit = row.shrink_to;
  site.report("west");
  site.run_until_idle();
  CHECK(rows().at(0).shrink_to == 0);
}

TEST_CASE("hosts of a policy that leaves the plan are asked back by name, the others are a set") {
  ChoosingSite site(two_policies(halves()), 2);
  site.wants("north", 3);
  const uint64_t leaving = site.generation(1);
  BrokerConfig config = site.state.config;
  config.resource_groups.front().policies = {"pool"};
  config.policies.pop_back();
  // A leaf that was no member of the group which drains.
  config.resource_groups.front().variants.front() =
      plan_of({{"/A", "west", 2, 60'000}, {"/B", "north", 4, 0}, {"/C", "east", 2, 0}});
  site.agents["east"].chooses = true;
  site.hello("east");
  site.run_until_idle();
  site.load(config);
  site.run_until_idle();
  site.cycle();
  const Agent& west = site.agents["west"];
  CHECK(west.groups.at(leaving).rows[0].shrink_to == 0);
  REQUIRE(site.asked_of("west") > 0);
  for (const AgentSet& held : west.sets) {
    if (held.seq != west.groups.at(site.generation(0)).seq) continue;
    for (const wire::SetHost& host : held.set.hosts) CHECK(host.generation == site.generation(0));
  }
  site.agents["east"].pending = 2;
  site.report("east");
  site.cycle();
  const int32_t before = site.held_at("east", 0, 0) + site.held_at("east", 0, 1);
  for (const uint32_t row : {0U, 1U}) site.end_work("west", 0, row, 4);
  site.cycle();
  CHECK(site.held_at("east", 0, 0) + site.held_at("east", 0, 1) == before + 2);
}

TEST_CASE("a transfer is left to the agent as long as its order names no host for it") {
  ChoosingSite site;
  site.wants("north", 2);
  const auto left = [&] { return left_to_agent(site.pool(), site.pool().transfers.front()); };
  REQUIRE(site.pool().transfers.size() == 1);
  CHECK(left());
  Transfer come = site.pool().transfers.front();
  come.wanted = {{0, 0}};
  CHECK_FALSE(left_to_agent(site.pool(), come));
  Transfer shrink = site.pool().transfers.front();
  shrink.lowering = wire::Lowering::shrink;
  CHECK_FALSE(left_to_agent(site.pool(), shrink));
  site.turn_host("east", 0, false);  // it is named now, and other hosts are in no set
  site.run_until_idle();
  CHECK_FALSE(left());
  site.turn_host("east", 0, true);
  site.run_until_idle();
  CHECK(left());
  site.agents["west"].chooses = false;
  site.hello("west");
  site.run_until_idle();
  CHECK_FALSE(left());
}
