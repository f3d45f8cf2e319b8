// After a restart or an older database: what members state decides, and nothing is given twice.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

uint64_t& seq_of(Site& site, const std::string& cluster) {
  return site.agent(cluster).groups.at(site.group(kPool).generation).seq;
}

void hear_all(Site& site) {
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
}

BrokerConfig with_north(BrokerConfig config) {
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  config.policies[0].distribution.push_back({"north", 1});
  return config;
}

}  // namespace

TEST_CASE("a release that nobody had applied when the broker died has never been") {
  Site site = made(8);
  wait(site, kDelayMs);
  REQUIRE(site.phase(kPool) == "inactive");
  site.restart_broker();
  CHECK(next_deadline(site.state) > site.now + kTimeoutMs);  // deadlines of before are off
  hear_all(site);
  CHECK(site.phase(kPool) == "active");
  CHECK(site.group(kPool).transfers.empty());
  CHECK(site.held(kPool, kProvider) == 7);
  CHECK(site.count(RecordKind::flip) == 0);
  CHECK(row_of(site, "east").limit == 7);
}

TEST_CASE("a release whose answer the broker did not live to hear is a flip all the same") {
  Site site = made(8);
  wait(site, kDelayMs);
  site.agent("east").connected = true;
  row_of(site, "east").limit = 0;
  seq_of(site, "east") = site.group(kPool).members[kProvider].seq;
  site.restart_broker();
  hear_all(site);
  CHECK(site.count(RecordKind::flip) == 1);
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(site.phase(kPool) == "active");
  CHECK(row_of(site, "west").limit == 8);
}

TEST_CASE("a grant that was not answered when the broker died is given anew, and has its time") {
  Site site = made(8);
  wait(site, kDelayMs);
  REQUIRE(site.take_one("east"));
  REQUIRE(site.held(kPool, kConsumer) == 8);
  site.restart_broker();
  site.hello("east");
  site.hello("west");
  CHECK(site.phase(kPool) == "inactive");
  CHECK(next_deadline(site.state) == site.now + kTimeoutMs);
  site.run_until_idle();
  CHECK(site.phase(kPool) == "active");
  CHECK(row_of(site, "west").limit + row_of(site, "east").limit == 8);
  CHECK(site.count(RecordKind::flip) == 1);
}

TEST_CASE(
    "a flip that waits for its provider is recorded once, whatever its loser says meanwhile") {
  Site site = borrowed();
  wait(site, kDelayMs);  // five idle slots are asked back
  REQUIRE(site.phase(kPool) == "inactive");
  const int flips = site.count(RecordKind::flip);
  site.lose("east");
  site.step(ordered(Command::drain, "west"));  // so they cannot stay where they come from
  site.take_one("west");
  site.run_until_idle();
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  REQUIRE(in_transfer(site.group(kPool)) == 6);
  REQUIRE(site.count(RecordKind::flip) == flips + 1);
  site.restart_broker();
  hear_all(site);
  CHECK(site.count(RecordKind::flip) == flips + 1);
  CHECK(in_transfer(site.group(kPool)) == 0);
  CHECK(site.held(kPool, kProvider) == 6);
  CHECK(site.held(kPool, kConsumer) == 2);
}

TEST_CASE("a flip whose loser comes back from yesterday, holding all again, has failed") {
  Site site = borrowed();
  wait(site, kDelayMs);
  site.lose("east");
  site.step(ordered(Command::drain, "west"));
  site.take_one("west");
  site.run_until_idle();
  REQUIRE(in_transfer(site.group(kPool)) == 5);
  site.restart_broker();
  row_of(site, "west").limit = 8;
  --seq_of(site, "west");
  site.step(ordered(Command::resume, "west"));
  hear_all(site);
  CHECK(site.phase(kPool) == "active");
  CHECK(site.group(kPool).transfers.empty());
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(site.enforced("east", 0) == 8);
}

TEST_CASE("of statements that contradict each other who may have missed an order yields") {
  Site site = borrowed();  // the ledger: east 0, west 8
  site.restart_broker();
  row_of(site, "east").limit = 7;  // yesterday's state
  --seq_of(site, "east");
  hear_all(site);
  CHECK(site.held(kPool, kProvider) == 0);
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(row_of(site, "east").limit == 0);  // ordered at once
  CHECK_FALSE(site.group(kPool).breach);
}

TEST_CASE("an agent that missed an order is believed where it holds more than the ledger says") {
  Site site = borrowed();
  site.state.slot_groups[0].at(0, kConsumer).held = 3;  // the ledger of an order that it never saw
  site.state.slot_groups[0].at(0, kProvider).held = 5;
  site.state.slot_groups[0].members[kConsumer].seq = ++site.state.clusters[1].seq;
  site.restart_broker();
  hear_all(site);
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(site.held(kPool, kProvider) == 0);
}

TEST_CASE("where all know later orders than the database, no more is held than is exported") {
  Site site = borrowed();
  site.restart_broker();
  row_of(site, "east").limit = row_of(site, "east").used = 7;
  seq_of(site, "east") = 500;
  seq_of(site, "west") = 600;
  site.hello("east");
  site.hello("west");
  CHECK(site.count(RecordKind::database_older) == 2);
  CHECK(site.held(kPool, kProvider) == 7);
  CHECK(site.held(kPool, kConsumer) == 1);
  site.run_until_idle();
  CHECK(site.group(kPool).breach);  // west still uses 3
  CHECK(site.count(RecordKind::breach) == 1);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).breach);
  CHECK(site.count(RecordKind::breach_over) == 1);
  CHECK(site.enforced("east", 0) == 8);
}

TEST_CASE("an agent with orders of the future puts its own group into quarantine, no other") {
  Site site = connected(with_north(one_pool(1, 8)), 1, 8);
  site.hello("north");
  site.run_until_idle();
  site.lose("north");
  site.lose("west");
  seq_of(site, "west") = 900;
  const uint64_t ledger = site.state.clusters[find_cluster(site.state, "west")].seq;
  site.hello("west");
  CHECK(site.count(RecordKind::database_older) == 1);
  CHECK(site.state.clusters[find_cluster(site.state, "west")].seq > 900);
  CHECK(ledger < 900);
  CHECK_FALSE(site.group(kPool).quarantined);  // east and west are there
  CHECK_FALSE(site.group("pool:north").quarantined);
}

TEST_CASE("an agent with orders of the future has its group wait for a partner that is lost") {
  Site site = connected(one_pool(1, 8), 1, 8);
  site.lose("east");
  site.lose("west");
  seq_of(site, "west") = 900;
  site.hello("west");
  CHECK(site.group(kPool).quarantined);
  CHECK(site.group(kPool).members[kProvider].doubted);
  site.hello("east");
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK_FALSE(site.group(kPool).members[kProvider].doubted);
}

TEST_CASE("orders of the future in a group that it is no member of say nothing") {
  Site site = connected(with_north(one_pool(1, 8)), 1, 8);
  site.hello("north");
  site.run_until_idle();
  site.lose("west");
  wire::StateBlock lie;
  lie.groups.push_back({site.group("pool:north").generation, uint64_t{1} << 36U, false, 0, 0, 0});
  lie.groups.push_back({12'345, uint64_t{1} << 36U, false, 0, 0, 0});  // of no group that there is
  AgentHello hello;
  hello.cluster = "west";
  hello.state_id = 7;
  hello.boot = 100;
  hello.session = 4'711;
  hello.state = lie;
  site.step(hello);
  CHECK(site.count(RecordKind::database_older) == 0);
  CHECK_FALSE(site.group("pool:north").quarantined);
  CHECK(site.state.clusters[find_cluster(site.state, "west")].seq < 1'000);
}

namespace {

/// Five of west's idle slots were given to east, which has not answered yet.
Site raising_to_east() {
  Site site = borrowed();
  wait(site, kDelayMs);
  while (site.take_one("west")) {
  }
  REQUIRE(site.held(kPool, kProvider) == 5);
  REQUIRE(row_of(site, "east").limit == 0);
  return site;
}

}  // namespace

TEST_CASE("slots of a raise that is on its way when quarantine begins again are given to nobody") {
  Site site = raising_to_east();
  site.lose("west");
  seq_of(site, "west") = 900;  // the database is an older one
  site.hello("west");
  REQUIRE(site.count(RecordKind::database_older) == 1);
  CHECK(site.held(kPool, kProvider) == 5);
  CHECK(in_transfer(site.group(kPool)) == 0);
  while (site.take_one("west")) {
  }
  while (site.take_one("east")) {  // the raise arrives
  }
  CHECK(site.enforced("east", 0) == 8);
  site.run_until_idle();
  CHECK(site.enforced("east", 0) == 8);
}

TEST_CASE("who answers the raise while quarantine lasts holds what it states, and no more") {
  PlanSite site(plan_of({{"/A", "west", 4}, {"/B", "north", 4}, {"/C", "south", 4}}), 1, 8);
  site.agent("west").pending = 4;
  site.report("west");
  wait(site, 10'000);
  REQUIRE(site.held("west") == 4);  // and has not answered
  site.lose("south");
  site.lose("north");
  site.agent("north").groups.at(site.pool().generation).seq = 900;
  site.hello("north");
  REQUIRE(site.pool().quarantined);  // until south connects
  while (site.take_one("west")) {
  }
  site.agent("west").groups.at(site.pool().generation).rows.front().limit = 3;  // by itself
  site.report("west");
  // It is due no more: nothing is handed out to it when quarantine ends.
  site.state.slot_groups.front().at(0, site.member("west")).due = 3;
  site.hello("south");
  CHECK_FALSE(site.pool().quarantined);
  CHECK(site.held("west") == 3);
  CHECK(site.unallocated() + in_transfer(site.pool()) + site.held("west") == 8);
}

TEST_CASE("an older database and a provider's even older state take nothing from a true consumer") {
  Site site = made(8);
  const State yesterday = site.state;
  const std::map<uint64_t, AgentGroup> state_of_east = site.agent("east").groups;
  REQUIRE(row_of(site, "east").limit == 7);
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  REQUIRE(row_of(site, "west").limit == 8);
  site.state = yesterday;
  site.agent("east").groups = state_of_east;
  --seq_of(site, "east");
  site.step(BrokerStarted{77, true});
  site.hello("east");
  site.hello("west");
  // Between them they claim 15. West's order is a later one than the ledger's: it is in force.
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(site.held(kPool, kProvider) == 0);
  site.run_until_idle();
  CHECK(row_of(site, "west").limit == 8);
  CHECK(row_of(site, "east").limit == 0);
}

TEST_CASE("an older ledger raises nobody to slots that another has in force") {
  Site site = borrowed();  // the ledger: east 0, west 8
  site.restart_broker();
  for (const char* cluster : {"east", "west"}) {  // the lease has ended since: neither knows of it
    site.agent(cluster).groups.clear();
  }
  site.hello("east");
  site.hello("west");
  CHECK(site.held(kPool, kProvider) == 8);
  CHECK(site.held(kPool, kConsumer) == 0);
  site.run_until_idle();
  CHECK(site.enforced("east", 0) <= 8);
}

TEST_CASE("slots that run jobs above an older state's limits are given to nobody") {
  Site site = made(8);
  site.pass(kDelayMs);
  REQUIRE(row_of(site, "west").limit == 8);
  wire::StateBlock older;  // west's: it holds nothing, and five of its jobs run on
  older.groups.push_back({site.group(kPool).generation, seq_of(site, "west"), true, 5, 0, 1});
  older.hosts.push_back({0, 0, 0, true, -1});
  site.restart_broker();
  site.hello("east");
  AgentHello hello;
  hello.cluster = "west";
  hello.state_id = 7;
  hello.boot = 100;
  hello.session = 100'000;
  hello.state = older;
  site.step(hello);
  REQUIRE_FALSE(site.group(kPool).quarantined);
  CHECK(site.count(RecordKind::breach) == 1);
  CHECK(in_transfer(site.group(kPool)) == 8);
  CHECK(site.held(kPool, kProvider) == 0);
}

TEST_CASE("observing, a restart leaves the ledger alone") {
  BrokerConfig config = one_pool(1, 4);
  config.mode = Mode::observe;
  Site site = connected(config, 1, 4);
  row_of(site, "east").limit = 2;  // what is stated there decides nothing
  row_of(site, "east").exported = 4;
  site.restart_broker();
  hear_all(site);
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.held(kPool, kProvider) == 4);
  CHECK(site.agent("east").groups.begin()->second.seq == 0);
}

TEST_CASE("a broker that starts on an older database says so") {
  Site site = made(8);
  site.step(BrokerStarted{7, true});
  REQUIRE(site.history.back().kind == RecordKind::broker_started);
  CHECK(site.history.back().reason == Reason::database_older);
  CHECK(site.history.back().numbers[1] == 1);
  site.step(BrokerStarted{8, false});
  CHECK(site.history.back().reason == Reason::none);
  CHECK(site.history.back().numbers[1] == 0);
}

TEST_CASE("a cluster forgotten while the broker still listens need not be heard any more") {
  Site site = borrowed();
  site.restart_broker();
  site.hello("east");
  site.run_until_idle();
  REQUIRE(site.group(kPool).quarantined);
  site.step(ordered(Command::forget, "west"));
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.held(kPool, kProvider) == 8);
}

TEST_CASE("a forgotten provider keeps what it exports") {
  Site site = borrowed();
  site.lose("east");
  site.step(ordered(Command::forget, "east"));
  site.run_until_idle();
  CHECK(exported(site.group(kPool)) == 8);
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("a lease that is closed stays closed, whatever order an agent has of it") {
  Site site = made(8);
  const uint64_t generation = site.group(kPool).generation;
  BrokerConfig without = site.state.config;
  without.policies.clear();
  site.use("west", kPool, 0, 0);
  site.load(without);
  site.run_until_idle();
  const SlotGroup& closed = site.state.slot_groups[0];
  REQUIRE(closed.phase == Phase::closed);
  site.lose("east");
  site.lose("west");
  AgentGroup& known = site.agent("west").groups[generation];
  known.rows.resize(1);
  known.seq = 900;
  site.hello("west");
  CHECK(site.count(RecordKind::database_older) == 1);
  CHECK(site.state.clusters[find_cluster(site.state, "west")].seq == 900);
  CHECK(closed.phase == Phase::closed);
  CHECK_FALSE(closed.quarantined);
  CHECK_FALSE(closed.members[kProvider].doubted);
}
