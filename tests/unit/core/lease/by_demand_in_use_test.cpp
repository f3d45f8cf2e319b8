// demand-aware in the core, where slots are in use: what the provider has back of them, and work
// that is about to end.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/lease/by_demand.hpp"
#include "tests/unit/core/lease/demand_fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

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
  site.run_until_idle();
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
  site.run_until_idle();
  site.pass(2 * kDelayMs);
  CHECK(site.group(kPool).transfers.size() == 1);  // nothing is asked for twice
  site.use("west", kPool, 0, 4);                   // the grace is over
  site.run_until_idle();
  CHECK(held(site) == std::pair(4, 4));
  CHECK(site.group(kPool).transfers.empty());
  site.use("east", kPool, 0, 4);
  site.run_until_idle();
  waits(site, "east", 0, 0);
  site.pass(2 * kDelayMs);
  CHECK(held(site) == std::pair(4, 4));
  CHECK(site.group(kPool).demand->back_offs.empty());
}

TEST_CASE("by demand: without provider_first slots in use stay, however many narrow jobs wait") {
  Site site = lent(false, 0);
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  waits(site, "east", 1, 4);
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
  site.run_until_idle();
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
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
  site.run_until_idle();
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
