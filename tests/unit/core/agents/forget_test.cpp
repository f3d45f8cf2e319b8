// An operator's `forget` after an older copy of the database was started: his word is that a silent
// cluster uses nothing of what it leases. Of what a provider has in force it says nothing.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Yesterday west held all 8. Then it gave 5 back, which east's jobs use; and the copy is started.
Site given_back() {
  Site site = borrowed();
  const State yesterday = site.state;
  site.pass(kDelayMs);
  site.use("east", kPool, 0, 5);
  site.run_until_idle();
  REQUIRE(row_of(site, "east").limit == 5);
  REQUIRE(row_of(site, "west").limit == 3);
  start_older(site, yesterday);
  REQUIRE(site.held(kPool, kConsumer) == 8);
  return site;
}

}  // namespace

TEST_CASE("a provider forgotten over an older database holds what the consumer does not") {
  Site site = given_back();
  site.hello("west");
  site.run_until_idle();
  REQUIRE(site.group(kPool).quarantined);
  site.step(ordered(Command::forget, "east"));
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.held(kPool, kProvider) == 5);
  CHECK(site.held(kPool, kConsumer) == 3);
  CHECK(site.enforced("east", 0) == 8);
  site.pass(3 * kDelayMs);
  CHECK(site.enforced("east", 0) == 8);
  site.hello("east");
  site.run_until_idle();
  CHECK(site.enforced("east", 0) == 8);
}

TEST_CASE(
    "what a consumer missed over an older database it gets not by its provider's forgetting") {
  Site site = given_back();
  site.agent("west").groups.clear();  // its state was lost; its fence is 0
  site.hello("west");
  site.step(ordered(Command::forget, "east"));
  CHECK(site.group(kPool).quarantined);  // until west has answered
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.held(kPool, kProvider) == 8);
  CHECK(row_of(site, "west").limit == 0);
  CHECK(site.enforced("east", 0) <= 8);
}

TEST_CASE("a word given before the database was known to be older has to be given again") {
  Site site = given_back();
  site.step(ordered(Command::forget, "east"));
  CHECK(site.group(kPool).quarantined);
  site.hello("west");
  site.run_until_idle();
  REQUIRE(site.count(RecordKind::database_older) == 1);
  CHECK(site.group(kPool).quarantined);
  CHECK(site.enforced("east", 0) == 8);
  site.step(ordered(Command::forget, "east"));
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.held(kPool, kProvider) == 5);
  CHECK(site.enforced("east", 0) == 8);
}

TEST_CASE("both sides forgotten, all slots are the provider's") {
  Site site = given_back();
  row_of(site, "west") = {};  // as the operator says
  site.step(ordered(Command::forget, "west"));
  CHECK(site.group(kPool).quarantined);
  site.step(ordered(Command::forget, "east"));
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.held(kPool, kProvider) == 8);
}

TEST_CASE("a provider that is heard after it was forgotten is believed again") {
  Site site = given_back();
  site.step(ordered(Command::forget, "east"));
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.held(kPool, kProvider) == 5);
  CHECK_FALSE(site.group(kPool).members[kProvider].doubted);
}

TEST_CASE("statements that are too much together leave a forgotten provider nothing") {
  Site site = given_back();
  row_of(site, "west").limit = row_of(site, "west").used = 9;  // it lies, or its host shrank
  site.hello("west");
  site.step(ordered(Command::forget, "east"));
  site.run_until_idle();
  CHECK(site.held(kPool, kProvider) == 0);
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("observing, a forgotten provider keeps nobody waiting") {
  BrokerConfig config = one_pool(1, 4);
  config.mode = Mode::observe;
  Site site = connected(config, 1, 4);
  site.restart_broker();
  site.agent("west").groups.clear();
  site.hello("west");
  REQUIRE(site.group(kPool).quarantined);
  site.step(ordered(Command::forget, "east"));
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.held(kPool, kProvider) == 4);
}

TEST_CASE("plan: what nobody states of a forgotten provider's slots is not unallocated") {
  PlanSite site(plan_of({{"/A", "west", 4}, {"/B", "north", 4}, {"/E", "east", 4}}), 1, 8);
  const State yesterday = site.state;
  REQUIRE(site.unallocated() == 8);
  site.want("east", 4);
  site.cycle();
  site.want("east", 4);
  REQUIRE(site.held("east") == 4);
  start_older(site, yesterday);
  for (const char* name : {"west", "north", "south"}) site.hello(name);
  site.agent("west").pending = 8;
  site.step(ordered(Command::forget, "east"));
  site.run_until_idle();
  REQUIRE_FALSE(site.pool().quarantined);
  CHECK(site.unallocated() == 0);
  CHECK(site.held("east") == 8);
  site.cycle();
  CHECK(site.enforced("east", 0) + site.unallocated() <= 8);
  site.hello("east");
  for (int i = 0; i < 4; ++i) site.cycle();
  CHECK(site.enforced("east", 0) + site.unallocated() <= 8);
  CHECK(site.held("west") == 4);  // what east's jobs do not use was its to have again
}

TEST_CASE("plan: a consumer that joined after the copy was made is waited for") {
  const Plan before = plan_of({{"/A", "west", 8}, {"/B", "north", 0}});
  const Plan after = plan_of({{"/A", "west", 8}, {"/B", "north", 0}, {"/C", "south", 8}});
  PlanSite site(before, 1, 8);
  const State yesterday = site.state;
  site.load(plan_config(after, 1, 8));
  site.run_until_idle();
  site.want("south", 8);
  site.cycle();
  site.want("south", 8);
  REQUIRE(site.held("south") == 8);
  start_older(site, yesterday);
  for (const char* name : {"east", "west", "north"}) site.hello(name);
  site.agent("west").pending = 8;
  for (int i = 0; i < 4; ++i) site.cycle();
  CHECK(site.pool().quarantined);
  CHECK(site.enforced("east", 0) == 8);
  site.hello("south");
  site.run_until_idle();
  CHECK_FALSE(site.pool().quarantined);
  CHECK(site.held("south") == 8);
}

TEST_CASE("plan: a consumer that joins while it is heard need not speak again") {
  const Plan before = plan_of({{"/A", "west", 8}, {"/B", "north", 0}});
  const Plan after = plan_of({{"/A", "west", 8}, {"/B", "north", 0}, {"/C", "south", 8}});
  PlanSite site(before, 1, 8);
  start_older(site, State(site.state));
  site.hello("south");
  site.load(plan_config(after, 1, 8));
  for (const char* name : {"east", "west", "north"}) site.hello(name);
  CHECK_FALSE(site.pool().quarantined);
}

TEST_CASE("plan: a raise on its way is waited for where the provider was forgotten") {
  PlanSite site(plan_of({{"/A", "west", 4}, {"/B", "north", 4}, {"/C", "south", 4}}), 1, 8);
  site.agent("west").pending = 4;
  site.report("west");
  wait(site, 10'000);
  REQUIRE(site.held("west") == 4);  // and has not answered
  site.lose("east");
  site.lose("north");
  site.agent("north").groups.at(site.pool().generation).seq = 900;
  site.hello("north");
  REQUIRE(site.pool().quarantined);  // until east connects
  site.step(ordered(Command::forget, "east"));
  CHECK(site.pool().quarantined);  // until west has answered
  while (site.take_one("west")) {
  }
  CHECK_FALSE(site.pool().quarantined);
  CHECK(site.held("west") == 4);
  CHECK(site.held("east") == 4);
}

TEST_CASE("plan: slots asked back on their way keep nobody waiting for a forgotten provider") {
  PlanSite site(plan_of({{"/A", "west", 4}, {"/B", "north", 4}}), 1, 8);
  for (int i = 0; i < 3; ++i) {
    site.want("west", 8);
    site.cycle();
  }
  REQUIRE(site.held("west") == 8);
  site.agent("north").pending = 4;
  site.report("north");
  wait(site, 10'000);
  const Member& west = site.pool().members[site.member("west")];
  REQUIRE(site.pool().transfers.size() == 1);
  REQUIRE(west.seq_stated != west.seq);  // it has not answered
  site.lose("east");
  site.lose("north");
  site.agent("north").groups.at(site.pool().generation).seq = 900;
  site.hello("north");
  REQUIRE(site.pool().quarantined);  // until east connects
  CHECK(west.trusted);
  site.step(ordered(Command::forget, "east"));
  CHECK_FALSE(site.pool().quarantined);
  CHECK(site.held("west") == 8);
}
