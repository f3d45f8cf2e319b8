// demand-aware in the core: reports of work, what moves by them and when, and what is remembered.
#include "broker/core/lease/by_demand.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/core/scenes.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

BrokerConfig by_demand(int hosts, int32_t slots) {
  BrokerConfig config = one_pool(hosts, slots);
  config.policies.front().rule = RuleKind::demand_aware;
  return config;
}

/// One host of 8; the lease is made: west runs on its first slot, the rest is east's and idle.
Site made_by_demand(BrokerConfig config = by_demand(1, 8)) {
  Site site = connected(std::move(config), 1, 8);
  site.use("west", kPool, 0, 1);
  site.settle();
  return site;
}

/// The cluster's agent tells that so many jobs of so many slots each wait.
void waits(Site& site, const std::string& cluster, int64_t slots, int64_t jobs,
           int32_t on_host = 1) {
  StateReported report;
  report.cluster = cluster;
  report.session = site.agent(cluster).session;
  site.agent(cluster).pending = report.pending = slots * jobs;
  wire::DemandBucket bucket;
  bucket.slots_per_host = on_host;
  bucket.jobs = jobs;
  bucket.slots = slots * jobs;
  report.demand.emplace();
  if (jobs > 0) report.demand->push_back(bucket);
  site.step(report);
  site.settle();
}

std::pair<int32_t, int32_t> held(const Site& site) {
  return {site.held(kPool, kProvider), site.held(kPool, kConsumer)};
}

}  // namespace

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

TEST_CASE("by demand: the provider's work has its slots back at once") {
  Site site = made_by_demand();
  waits(site, "west", 7, 1);
  site.pass(1);
  REQUIRE(held(site) == std::pair(0, 8));
  site.use("west", kPool, 0, 8);
  site.settle();
  waits(site, "west", 0, 0);
  site.use("west", kPool, 0, 2);
  site.settle();
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
  site.settle();
  site.load(one_pool(1, 8));
  site.settle();
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
  site.settle();
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
  site.settle();
  site.load(by_demand(1, 8));
  site.settle();
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
  site.settle();
  CHECK(site.group(kPool).demand->grant.unused == 0);
  waits(site, "west", 0, 0);
  site.pass(2 * kDelayMs);
  CHECK(held(site) == std::pair(4, 4));
  CHECK(site.group(kPool).demand->back_offs.empty());
}

namespace {

/// West holds all eight and uses seven.
Site lent(bool provider_first, int64_t grace_ms) {
  BrokerConfig config = by_demand(1, 8);
  config.policies.front().provider_first = provider_first;
  config.policies.front().reclaim_grace_ms = grace_ms;
  Site site = made_by_demand(config);
  waits(site, "west", 7, 1);
  site.pass(1);
  site.use("west", kPool, 0, 7);
  site.settle();
  waits(site, "west", 0, 0);
  REQUIRE(held(site) == std::pair(0, 8));
  return site;
}

}  // namespace

TEST_CASE("by demand: provider_first takes slots in use for work, within a delay and the grace") {
  constexpr int64_t kGraceMs = 45'000;
  Site site = lent(true, kGraceMs);
  waits(site, "east", 4, 1);
  wait(site, 1);
  REQUIRE(site.group(kPool).transfers.size() == 1);
  const Transfer& open = *site.group(kPool).transfers.begin();
  CHECK(open.lowering == wire::Lowering::reclaim);
  CHECK(open.reason == Reason::provider_first);
  CHECK(open.slots_wanted == 4);
  const auto& orders = site.agent("west").inbox;
  const auto last = std::find_if(orders.rbegin(), orders.rend(), [](const auto& message) {
    return std::holds_alternative<wire::Order>(message);
  });
  REQUIRE(last != orders.rend());
  CHECK(std::get<wire::Order>(*last).grace_ms == kGraceMs);
  CHECK(site.group(kPool).phase == Phase::active);  // other slots go on moving
  site.settle();
  site.pass(2 * kDelayMs);
  CHECK(site.group(kPool).transfers.size() == 1);  // nothing is asked for twice
  site.use("west", kPool, 0, 4);                   // the grace is over
  site.settle();
  CHECK(held(site) == std::pair(4, 4));
  CHECK(site.group(kPool).transfers.empty());
  site.use("east", kPool, 0, 4);
  site.settle();
  waits(site, "east", 0, 0);
  site.pass(2 * kDelayMs);
  CHECK(held(site) == std::pair(4, 4));
  CHECK(site.group(kPool).demand->back_offs.empty());
}

TEST_CASE("by demand: without provider_first slots in use stay, whatever waits") {
  Site site = lent(false, 0);
  site.use("west", kPool, 0, 8);
  site.settle();
  waits(site, "east", 4, 1);
  site.pass(3 * kDelayMs);
  CHECK(site.group(kPool).transfers.empty());
  CHECK(held(site) == std::pair(0, 8));
}

TEST_CASE("by demand: under observe provider_first ends no work") {
  Site site = lent(true, 0);
  BrokerConfig config = site.state.config;
  config.mode = Mode::observe;
  site.load(config);
  waits(site, "east", 4, 1);
  site.pass(3 * kDelayMs);
  CHECK(site.group(kPool).transfers.empty());
}

namespace {

/// West has had slots that took twenty seconds to come, and all that it holds is in use.
Site with_slow_moves() {
  Site site = made_by_demand();
  StateReported report;
  report.cluster = "west";
  report.session = site.agent("west").session;
  site.agent("west").pending = report.pending = 1;
  site.step(report);
  site.step(Tick{});
  site.now = site.now + 20'000;
  site.settle();
  site.use("west", kPool, 0, 2);
  site.settle();
  waits(site, "west", 0, 0);
  site.pass(kDelayMs);
  return site;
}

void ends(Site& site, const std::string& cluster, int64_t slots, int32_t error_milli) {
  StateReported report;
  report.cluster = cluster;
  report.session = site.agent(cluster).session;
  report.pending = site.agent(cluster).pending;
  report.ending = wire::Ending{{{wire::TimeClass::minute_1, slots}}, error_milli};
  site.step(report);
  site.settle();
}

}  // namespace

TEST_CASE("by demand: work that is about to end is waited for, as long as a move takes") {
  Site site = with_slow_moves();
  REQUIRE(held(site) == std::pair(6, 2));
  REQUIRE(site.group(kPool).demand->pace.move_ms == 20'000);
  SECTION("half of six is over by then as agents err, a third of that within the time") {
    ends(site, "west", 6, 500);
    waits(site, "west", 1, 1);
    site.pass(1);
    CHECK(held(site) == std::pair(6, 2));
    CHECK(token(site.group(kPool).reason) == token(Reason::ends_soon));
    site.pass(19'998);
    CHECK(held(site) == std::pair(6, 2));
    site.pass(1);
    CHECK(held(site) == std::pair(5, 3));
  }
  SECTION("of an agent that does not know how wrong it is nothing is believed") {
    ends(site, "west", 1'000, -1);
    waits(site, "west", 1, 1);
    site.pass(1);
    CHECK(held(site) == std::pair(5, 3));
  }
  SECTION("nor of one that is always wrong") {
    ends(site, "west", 1'000, 1'000);
    waits(site, "west", 1, 1);
    site.pass(1);
    CHECK(held(site) == std::pair(5, 3));
  }
  SECTION("what the provider says of its work is nothing to the consumer") {
    ends(site, "east", 1'000, 0);
    waits(site, "west", 1, 1);
    site.pass(1);
    CHECK(held(site) == std::pair(5, 3));
  }
  SECTION("they make room for a whole job, or are no help") {
    ends(site, "west", 6, 0);
    waits(site, "west", 4, 1);
    site.pass(1);
    CHECK(held(site) == std::pair(2, 6));
  }
}
