// demand-aware in the core: reports of work, what moves by them and when, and what is remembered.
#include "broker/core/lease/by_demand.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/answer_now.hpp"
#include "tests/unit/core/lease/demand_fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("by demand: nothing moves without a taker, at no evaluation") {
  Site site = made_by_demand();
  site.pass(5 * kDelayMs);
  CHECK(held(site) == std::pair(7, 1));
  CHECK(site.count(RecordKind::flip) == 0);
  CHECK(token(site.group(kPool).reason) == token(Reason::no_taker));
}

TEST_CASE(
    "by demand: a report of work moves as many slots as it takes, before the next evaluation") {
  Site site = made_by_demand();
  waits(site, "west", 3, 1);
  const RuleAnswer asked = answer_now(site.state, 0);
  CHECK((asked.slots == 3 && asked.to_consumer));
  CHECK(held(site) == std::pair(7, 1));  // to ask moves nothing
  site.pass(1);
  CHECK(held(site) == std::pair(4, 4));
  CHECK(site.count(RecordKind::flip) == 1);
  CHECK(site.group(kPool).reason == Reason::consumer_waits);
}

TEST_CASE("by demand: work that no host can hold moves nothing") {
  Site site = made_by_demand();
  waits(site, "west", 16, 1, 16);
  site.pass(2 * kDelayMs);
  CHECK(held(site) == std::pair(7, 1));
  CHECK(token(site.group(kPool).reason) == token(Reason::shape_misfit));
}

TEST_CASE("by demand: work that takes hosts whole gets one that is wholly idle, all of it") {
  Site site = connected(by_demand(2, 8), 2, 8);
  site.use("west", kPool, 0, 1);  // the rest of that host is east's, and idle
  site.run_until_idle();
  REQUIRE(held(site) == std::pair(15, 1));
  waits(site, "west", 2, 1, 2, true);
  site.pass(1);
  CHECK(held(site) == std::pair(7, 9));
  CHECK(site.group(kPool).at(1, kConsumer).held == 8);
  REQUIRE(site.group(kPool).demand->grant.shapes.size() == 1);
  CHECK(site.group(kPool).demand->grant.shapes[0].whole);
}

TEST_CASE("by demand: work that asks for a type of host gets slots of such hosts, or none") {
  Site site = connected(by_demand(2, 8), 2, 8);
  site.agent("east").hosts[1].type = "big";
  site.hello("east");
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  waits(site, "west", 2, 1, 1, false, "other");
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 1);
  CHECK(token(site.group(kPool).reason) == token(Reason::no_taker));
  waits(site, "west", 2, 1, 1, false, "big");
  site.pass(1);
  CHECK(site.group(kPool).at(0, kConsumer).held == 1);
  CHECK(site.group(kPool).at(1, kConsumer).held == 2);
}

TEST_CASE("by demand: a host of which a part is exported is no whole one") {
  for (const int32_t slots : {8, 9}) {
    Site site = connected(by_demand(1, 8), 1, slots);
    for (const int32_t used : {1, 0}) {  // the lease is made, and nothing runs any more
      site.use("west", kPool, 0, used);
      site.run_until_idle();
    }
    waits(site, "west", 1, 1, 1, true);
    site.pass(1);
    INFO(slots << " slots, of which 8 exported: " << token(site.group(kPool).reason));
    CHECK(held(site).second == (slots == 8 ? 8 : 1));
    CHECK((token(site.group(kPool).reason) == token(Reason::shape_misfit)) == (slots == 9));
  }
}

TEST_CASE("by demand: the provider's work has its slots back at once") {
  Site site = made_by_demand();
  waits(site, "west", 7, 1);
  site.pass(1);
  REQUIRE(held(site) == std::pair(0, 8));
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  waits(site, "west", 0, 0);
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  waits(site, "east", 4, 1);
  site.pass(1);
  CHECK(held(site) == std::pair(4, 4));
}

TEST_CASE("by demand: slots that are not used in time go back, and the shape waits") {
  Site site = made_by_demand();
  waits(site, "west", 3, 1);
  site.pass(1);
  REQUIRE(held(site) == std::pair(4, 4));
  site.pass(kDemandUseByMs);
  CHECK(held(site) == std::pair(7, 1));
  CHECK(token(site.group(kPool).reason) == token(Reason::grant_unused));
  site.pass(kDelayMs / 2);
  CHECK(held(site) == std::pair(7, 1));
  site.pass(kDelayMs / 2);
  CHECK(held(site) == std::pair(4, 4));  // it may try again, once
}

TEST_CASE("by demand: while everything is frozen nothing falls due") {
  // Symptom: half an hour into a freeze a row was written, as what had been remembered fell due.
  Site site = made_by_demand();
  waits(site, "west", 3, 1);
  site.pass(1);
  REQUIRE(site.group(kPool).demand->react_at != kNever);  // when the grant is to be used
  site.step(ordered(Command::freeze));
  CHECK(site.group(kPool).demand->react_at == kNever);
  site.pass(kDelayMs);
  CHECK(held(site) == std::pair(4, 4));
  site.step(ordered(Command::thaw));
  site.pass(kDelayMs);
  CHECK(held(site) == std::pair(7, 1));
}

TEST_CASE("by demand: an agent that tells no shapes has work of single slots") {
  Site site = made_by_demand();
  site.agent("west").pending = 5;
  site.report("west");
  site.pass(1);
  CHECK(held(site) == std::pair(2, 6));
}

TEST_CASE("by demand: idle slots of the cluster's own count for work that needs more than those") {
  Site site = made_by_demand();
  StateReported own;
  own.cluster = "west";
  own.session = site.agent("west").session;
  own.idle_elsewhere = std::vector<int32_t>{4};
  site.step(own);
  waits(site, "west", 6, 1);
  site.pass(1);
  CHECK(held(site) == std::pair(5, 3));
}

TEST_CASE("by demand: slots that lie idle on several hosts of another lease count as well") {
  BrokerConfig config = by_demand(1, 8);
  config.policies.push_back(config.policies.front());
  ExportPolicy& more = config.policies.back();
  more.name = "more";
  more.rule = RuleKind::idle_comparison;
  more.hosts = {"h1", "h2"};
  more.slots_per_host = 2;
  Site site = connected(std::move(config), 3, 8);
  for (const char* lease : {kPool, "more:west"}) site.use("west", lease, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  REQUIRE(site.held("more:west", kConsumer) == 4);  // one is in use
  waits(site, "west", 6, 1);
  site.pass(1);
  CHECK(held(site) == std::pair(4, 4));
}

TEST_CASE("by demand: what min_hold puts off is done when it is over, not at the next evaluation") {
  Site site = made_by_demand();
  waits(site, "west", 7, 1);
  site.pass(1);
  for (const int32_t used : {8, 4}) {
    site.use("west", kPool, 0, used);
    site.run_until_idle();
    waits(site, "west", 0, 0);
  }
  waits(site, "east", 3, 1);
  site.pass(1);
  REQUIRE(held(site) == std::pair(3, 5));
  const Instant moved = site.group(kPool).demand->moved_at;
  for (const int32_t used : {3, 0}) {
    site.use("east", kPool, 0, used);
    site.run_until_idle();
  }
  waits(site, "east", 16, 1, 16);  // no host has room for it
  waits(site, "west", 2, 1);       // one is idle there already
  site.pass(1);
  CHECK(token(site.group(kPool).reason) == token(Reason::min_hold));
  site.pass(moved + (kDemandMinHoldMs - 1) - site.now);
  CHECK(held(site) == std::pair(3, 5));
  site.pass(1);
  CHECK(held(site) == std::pair(2, 6));
}

TEST_CASE("by demand: under observe it says what it would do, and remembers no grant") {
  BrokerConfig config = by_demand(1, 8);
  config.mode = Mode::observe;
  Site site = connected(config, 1, 8);
  waits(site, "west", 3, 1);
  site.pass(kDelayMs);
  CHECK(site.count(RecordKind::flip) == 0);
  REQUIRE(site.group(kPool).demand);
  CHECK(site.group(kPool).demand->grant.to == demand_aware::kNobody);
}

TEST_CASE("by demand: from and to idle-comparison while slots are lent and used") {
  Site site = made_by_demand();
  waits(site, "west", 3, 1);
  site.pass(1);
  site.use("west", kPool, 0, 4);
  site.run_until_idle();
  site.load(one_pool(1, 8));
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).demand);
  CHECK(held(site) == std::pair(4, 4));
  site.pass(kDelayMs);
  CHECK(held(site) == std::pair(0, 8));  // LSF's rule gives all that is idle
  site.load(by_demand(1, 8));
  waits(site, "west", 0, 0);
  site.pass(2 * kDelayMs);
  CHECK(held(site) == std::pair(0, 8));  // nobody waits: they stay
}

TEST_CASE("by demand: as a shadow it is told beside the rule in force, and orders nothing") {
  BrokerConfig config = one_pool(1, 8);
  config.policies.front().shadow = RuleKind::demand_aware;
  Site site = made_by_demand(config);
  waits(site, "west", 3, 1);
  site.pass(kDelayMs);
  REQUIRE(site.group(kPool).shadow);
  CHECK(site.group(kPool).shadow->answer.reason == Reason::consumer_waits);
  CHECK(site.group(kPool).shadow->answer.slots == 3);
  CHECK_FALSE(site.group(kPool).demand);
  CHECK(held(site) == std::pair(0, 8));
}

TEST_CASE("by demand: a restart goes on from what it remembers, and looks again when it is asked") {
  Site site = made_by_demand();
  waits(site, "west", 3, 1);
  site.pass(1);
  REQUIRE(site.group(kPool).demand->react_at != kNever);
  site.restart_broker();
  CHECK(site.group(kPool).demand->react_at == kNever);
  CHECK(site.group(kPool).demand->grant.to == demand_aware::kConsumer);
}

TEST_CASE("by demand: slots that were long under way went back before they could be used") {
  Site site = made_by_demand();
  waits(site, "west", 3, 1);
  site.step(Tick{});
  REQUIRE(site.group(kPool).demand->grant.to == demand_aware::kConsumer);
  const Instant decided = site.group(kPool).demand->grant.at;
  site.now = site.now + 20'000;  // nobody answers meanwhile
  site.run_until_idle();
  CHECK(held(site) == std::pair(4, 4));
  CHECK(site.group(kPool).demand->grant.at == decided + 20'000);
}

TEST_CASE("by demand: a lease that came to the rule later is told anew what is idle elsewhere") {
  Site site = made_by_demand();
  StateReported own;
  own.cluster = "west";
  own.session = site.agent("west").session;
  own.idle_elsewhere = std::vector<int32_t>{4};
  site.step(own);
  StateReported again = own;
  (void)drop_known(site.state, again);
  CHECK_FALSE(again.idle_elsewhere);
  site.load(one_pool(1, 8));
  site.run_until_idle();
  site.load(by_demand(1, 8));
  site.run_until_idle();
  site.pass(kDelayMs);
  again = own;
  (void)drop_known(site.state, again);
  CHECK(again.idle_elsewhere);
}

TEST_CASE("by demand: slots used in the very statement that they came with were taken for unused") {
  Site site = made_by_demand();
  waits(site, "west", 3, 1);
  site.step(Tick{});
  REQUIRE(site.group(kPool).demand->grant.to == demand_aware::kConsumer);
  row_of(site, "west").used = 4;  // its job starts as the slots come, and ends no more
  site.run_until_idle();
  CHECK(site.group(kPool).demand->grant.unused == 0);
  waits(site, "west", 0, 0);
  site.pass(2 * kDelayMs);
  CHECK(held(site) == std::pair(4, 4));
  CHECK(site.group(kPool).demand->back_offs.empty());
}
