// Reclaims whose hosts the agent chooses, disturbed: repeated, lost, cancelled, over a restart.
#include <catch2/catch.hpp>

#include "broker/core/model/turn/deadlines.hpp"
#include "tests/unit/core/ledger/choosing_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE(
    "a second reclaim during the first raises what the sum is less, and takes nothing twice") {
  ChoosingSite site;
  site.wants("north", 1);
  REQUIRE(site.asked_of("west") == 1);
  site.wants("north", 3);
  CHECK(site.asked_of("west") == 3);
  CHECK(site.agents["west"].sets.size() == 1);
  site.end_work("west", 0, 2, 3);
  CHECK(site.held("west") == 9);
  CHECK(site.held_at("north", 0, 2) == 3);
  site.cycle();
  CHECK(site.held("west") == 9);
}

TEST_CASE("a reclaim that is cancelled is over at the agent too, also in part") {
  ChoosingSite site;
  site.wants("north", 3);
  REQUIRE(site.asked_of("west") == 3);
  Plan less = halves();
  less.consumers[1].limit = 1;
  site.load(plan_config(less, 3, kSlots));
  site.run_until_idle();
  CHECK(site.asked_of("west") == 1);
  less.consumers[1].limit = 0;
  site.load(plan_config(less, 3, kSlots));
  site.run_until_idle();
  CHECK(site.asked_of("west") == 0);
  site.end_work("west", 0, 0, 4);
  CHECK(site.held("west") == 12);
}

TEST_CASE("what an agent gave up just before its reclaim was cancelled comes back to it") {
  ChoosingSite site;
  site.wants("north", 2);
  Agent& west = site.agents["west"];
  west.groups.at(site.generation(0)).rows[2].used -= 2;
  Site::give_to_sets(west);  // its statement is under way
  Plan none = halves();
  none.consumers[1].limit = 0;
  site.load(plan_config(none, 3, kSlots));
  site.run_until_idle();
  site.cycle();
  CHECK(site.asked_of("west") == 0);
  CHECK(site.held("west") == 12);
  CHECK(site.limits_of("west") == 12);
}

TEST_CASE(
    "an order for a set that is lost is given again, one that is doubled or late does nothing") {
  ChoosingSite site;
  Agent& west = site.agents["west"];
  west.pending = 0;
  site.agents["north"].pending = 2;
  site.report("north");
  for (int ticks = 0; ticks < 10 && west.inbox.empty(); ++ticks) {
    site.now = std::max(site.now, next_deadline(site.state));
    site.step(Tick{});
  }
  REQUIRE_FALSE(west.inbox.empty());
  const wire::Message order = west.inbox.back();
  west.inbox.clear();  // lost
  site.run_until_idle();
  CHECK(site.asked_of("west") == 0);
  site.pass(300'000);  // overdue
  CHECK(site.asked_of("west") == 2);
  site.end_work("west", 0, 1, 2);
  for (int again = 0; again < 2; ++again) {
    west.inbox.push_back(order);
    site.run_until_idle();
  }
  site.end_work("west", 0, 2, 1);
  CHECK(site.asked_of("west") == 0);
  CHECK(site.limits_of("west") == 10);
}

TEST_CASE("a set outlives the death of the agent, and of the broker") {
  ChoosingSite site;
  site.wants("north", 2);
  site.kill_agent("west");
  site.lose("west");
  site.hello("west");
  site.run_until_idle();
  CHECK(site.asked_of("west") == 2);
  site.restart_broker();
  for (const char* name : {"east", "west", "north", "south"}) site.hello(name);
  site.run_until_idle();
  CHECK(site.asked_of("west") == 2);
  site.end_work("west", 0, 2, 2);
  site.cycle();
  CHECK(site.held_at("north", 0, 2) == 2);
  CHECK(site.held("west") == 10);
}

TEST_CASE("frozen leases ask for nothing, thawed ones for what is still missing") {
  ChoosingSite site;
  site.wants("north", 2);
  OperatorCommand command;
  command.by = "test";
  command.command = Command::freeze;
  site.step(command);
  site.run_until_idle();
  CHECK(site.asked_of("west") == 0);
  command.command = Command::thaw;
  site.step(command);
  site.run_until_idle();
  CHECK(site.asked_of("west") == 2);
}

TEST_CASE("of two orders in one batch only the later is sent, to each group and with its sets") {
  const auto sent = [](Command first, Command second) {
    ChoosingSite site(two_policies(halves()), 2);
    site.wants("north", 6);
    Effects batch;
    for (const Command what : {first, second}) {
      OperatorCommand command;
      command.command = what;
      command.by = "test";
      step(site.state, command, site.now, batch);
    }
    std::map<uint64_t, int> named;
    size_t sets = 0;
    for (const SendOrder& made : batch.orders) {
      if (made.generation == 0 || made.cluster != find_cluster(site.state, "west")) continue;
      wire::Order order;
      batch.write(made, 1, order);
      ++named[order.generation];
      for (const wire::OrderPart& part : order.parts) ++named[part.generation];
      sets += order.sets.size();
    }
    for (const auto& [generation, times] : named) CHECK(times == 1);
    CHECK(named.size() == 2);
    return sets;
  };
  CHECK(sent(Command::freeze, Command::thaw) == 1);
  CHECK(sent(Command::thaw, Command::freeze) == 0);
  CHECK(sent(Command::thaw, Command::thaw) == 1);
}
