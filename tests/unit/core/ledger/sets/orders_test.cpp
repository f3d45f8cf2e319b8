// Orders to an agent that chooses: one of each plan for all that waits at the end of a turn, and
// which rows of which groups it names.
#include <catch2/catch.hpp>

#include "tests/unit/core/ledger/choosing_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Orders that stand in a batch for a cluster, as they would be sent.
std::vector<wire::Order> sent(const ChoosingSite& site, const Effects& batch,
                              const std::string& cluster) {
  std::vector<wire::Order> orders;
  for (const SendOrder& made : batch.orders) {
    if (made.generation == 0 || made.cluster != find_cluster(site.state, cluster)) continue;
    batch.write(made, 1, orders.emplace_back());
  }
  return orders;
}

/// "seq g" of each group that an order names, g by place in the plan.
std::vector<std::string> order_names(const ChoosingSite& site,
                                     const std::vector<wire::Order>& orders) {
  std::vector<std::string> found;
  const auto add = [&](size_t order, uint64_t generation) {
    const char* of = generation == site.generation(0) ? " pool" : " more";
    found.push_back(std::to_string(order) + of);
  };
  for (size_t i = 0; i < orders.size(); ++i) {
    add(i, orders[i].generation);
    for (const wire::OrderPart& part : orders[i].parts) add(i, part.generation);
  }
  return found;
}

OperatorCommand command(Command what) {
  OperatorCommand made;
  made.command = what;
  made.by = "test";
  return made;
}

/// Reclaims for a set of pool's hosts; more's only host is down and what is asked there is named.
ChoosingSite frozen_with_a_named_host() {
  ChoosingSite site(two_policies(halves()), 2);
  site.wants("north", 6);
  site.turn_host("south", 0, false);
  site.run_until_idle();
  REQUIRE(site.agents["west"].sets.back().set.hosts.size() == 2);
  site.step(command(Command::freeze));
  site.run_until_idle();
  return site;
}

Event inventory(ChoosingSite& site, const std::string& owner, bool up) {
  Agent& of = site.agents[owner];
  of.hosts[0].up = up;
  return InventoryReported{owner, of.session, of.hosts};
}

}  // namespace

TEST_CASE("an order that another one replaces in part is sent with what is left of it") {
  ChoosingSite site = frozen_with_a_named_host();
  Effects batch;
  step(site.state, command(Command::thaw), site.now, batch);
  CHECK(order_names(site, sent(site, batch, "west")) ==
        std::vector<std::string>{"0 pool", "0 more"});
  step(site.state, inventory(site, "east", false), site.now, batch);
  const std::vector<wire::Order> orders = sent(site, batch, "west");
  CHECK(order_names(site, orders) == std::vector<std::string>{"0 more", "1 pool"});
  REQUIRE(orders.size() == 2);
  CHECK(orders[0].sets.empty());
  CHECK(orders[1].sets.size() == 1);
}

TEST_CASE("an order that another one replaces part by part is not sent") {
  ChoosingSite site = frozen_with_a_named_host();
  Effects batch;
  step(site.state, command(Command::thaw), site.now, batch);
  step(site.state, inventory(site, "south", true), site.now, batch);
  const std::vector<wire::Order> orders = sent(site, batch, "west");
  CHECK(order_names(site, orders) == std::vector<std::string>{"0 more", "0 pool"});
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].sets.size() == 1);
  CHECK(orders[0].sets[0].hosts.size() == 3);
}

TEST_CASE("an order names no group of which it has nothing to say") {
  ChoosingSite site(two_policies(halves()), 2);
  site.wants("north", 4);
  while (site.held_at("north", 1, 0) < 4) site.end_work("west", 1, 0, 1);
  REQUIRE(site.held_at("west", 1, 0) == 0);
  site.agents["west"].groups.at(site.generation(1)).rows[0].up = false;
  site.report("west");
  site.wants("north", 6);
  REQUIRE(site.asked_of("west") == 2);
  Effects batch;
  step(site.state, inventory(site, "south", false), site.now, batch);
  CHECK(order_names(site, sent(site, batch, "west")) == std::vector<std::string>{"0 pool"});
}

TEST_CASE("each plan has its own order and its own sets") {
  BrokerConfig config = two_policies(halves());
  config.resource_groups.front().policies.pop_back();
  ResourceGroup second = config.resource_groups.front();
  second.name = "second";
  second.policies = {"more"};
  second.variants.front().name = "second";
  config.resource_groups.push_back(second);
  ChoosingSite site(config, 2);
  site.wants("north", 4);
  const Agent& west = site.agents["west"];
  const auto set_of = [&](uint32_t plan) -> const wire::ReclaimSet* {
    const SlotGroup& group =
        site.state.slot_groups[site.state.resource_groups[plan].slot_groups.front()];
    for (const AgentSet& held : west.sets) {
      if (held.set.hosts[0].generation != group.generation) continue;
      if (held.seq == west.groups.at(group.generation).seq) return &held.set;
    }
    return nullptr;
  };
  REQUIRE(set_of(0) != nullptr);
  REQUIRE(set_of(1) != nullptr);
  CHECK(set_of(0)->hosts.size() == 2);
  CHECK(set_of(1)->hosts.size() == 1);
  Effects batch;
  step(site.state, command(Command::thaw), site.now, batch);
  const std::vector<wire::Order> orders = sent(site, batch, "west");
  REQUIRE(orders.size() == 2);
  for (const wire::Order& order : orders) {
    CHECK(order.parts.empty());
    REQUIRE(order.sets.size() == 1);
    CHECK(order.sets[0].hosts[0].generation == order.generation);
  }
}

TEST_CASE("a broker that begins to order names every row, also where a decision named some") {
  BrokerConfig config = plan_config(halves(), 3, kSlots);
  ChoosingSite site(config, 3);
  config.mode = Mode::observe;
  site.load(config);
  site.run_until_idle();
  site.agents["north"].pending = 2;
  site.report("north");
  config.mode = Mode::lease;
  Effects batch;
  step(site.state, ConfigLoaded{config, {}, "test"}, site.now, batch);
  const std::vector<wire::Order> orders = sent(site, batch, "west");
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].hosts.size() == 3);
}

TEST_CASE("a group that closes with the last hello after a restart is not ordered about") {
  ChoosingSite site(two_policies(halves()), 2);
  BrokerConfig config = site.state.config;
  const uint64_t leaving = site.generation(1);
  config.resource_groups.front().policies = {"pool"};
  config.policies.pop_back();
  site.load(config);
  site.run_until_idle();
  site.restart_broker();
  for (const char* name : {"east", "north", "south"}) site.hello(name);
  site.agents["west"].groups.at(leaving).rows[0] = {};  // all its work there has ended
  site.hello("west");
  REQUIRE(site.state.slot_groups[find_slot_group(site.state, leaving)].phase == Phase::closed);
  for (const wire::Message& message : site.agents["west"].inbox) {
    const auto* order = std::get_if<wire::Order>(&message);
    if (order == nullptr) continue;
    CHECK(order->generation != leaving);
    for (const wire::OrderPart& part : order->parts) CHECK(part.generation != leaving);
  }
  site.run_until_idle();
  CHECK(site.limits_of("west") == 8);
}
