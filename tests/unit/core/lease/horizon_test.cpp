// Reservations ahead: a host goes home before its owner's manager has it reserved, no sooner than
// the work of each borrower needs; work is ended for it only where slots in use may be reclaimed.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "tests/unit/core/lease/demand_fixtures.hpp"
#include "tests/unit/core/lease/horizon_fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// East's agent says of a host that it is reserved so long from now, for an hour.
void reserve(Site& site, size_t host, int64_t ahead_ms) {
  const int64_t from_ms = site.now.ms + ahead_ms;
  site.agent("east").hosts[host].horizon = wire::Horizon{"maint", from_ms, from_ms + kHourMs};
  site.hello("east");
  site.run_until_idle();
}

void reserve_no_more(Site& site, size_t host) {
  site.agent("east").hosts[host].horizon.reset();
  site.hello("east");
  site.run_until_idle();
}

/// Two hosts of 4, all of both lent for good; `used` of the first one is in use.
Site lent_for_good(int32_t used, int64_t longest_ms) {
  Site site = connected(one_pool(2, 4, LeaseType::exclusive), 2, 4);
  limited(site, "west", longest_ms);
  site.pass(kDelayMs);
  REQUIRE(lent(site) == Slots{4, 4});
  site.use("west", kPool, 0, used);
  site.run_until_idle();
  return site;
}

int asked_by_reclaim(const Site& site) {
  int open = 0;
  for (const Transfer& transfer : site.group(kPool).transfers) open += reclaims(transfer) ? 1 : 0;
  return open;
}

}  // namespace

TEST_CASE("a reservation in three weeks takes no host home today") {
  Site site = lent_for_good(1, kHourMs);
  reserve(site, 0, 21 * 24 * kHourMs);
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{4, 4});
}

TEST_CASE("a host is a shrink from its horizon less the longest limit of the borrower's work") {
  Site site = lent_for_good(2, kHourMs);
  reserve(site, 0, 3 * kHourMs);
  site.pass(2 * kHourMs - 1'000);
  CHECK(lent(site) == Slots{4, 4});
  site.pass(1'000);
  CHECK(lent(site) == Slots{2, 4});  // what is idle is home, what runs goes on
  const SlotGroup& group = site.group(kPool);
  REQUIRE(group.transfers.size() == 1);
  CHECK(group.transfers.front().lowering == wire::Lowering::shrink);
  CHECK(token(group.transfers.front().reason) == token(Reason::host_reserved));
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  CHECK(lent(site) == Slots{1, 4});  // nothing new starts in its place
  site.pass(3 * kHourMs);
  CHECK(lent(site) == Slots{1, 4});  // what is still there stays as used
  CHECK(asked_by_reclaim(site) == 0);
}

TEST_CASE("work without a limit is not begun on a host with a horizon, however far it is") {
  Site site = lent_for_good(1, kHourMs);
  reserve(site, 0, 21 * 24 * kHourMs);
  REQUIRE(lent(site) == Slots{4, 4});
  limited(site, "west", wire::kNoTimeLimit);
  CHECK(lent(site) == Slots{1, 4});
  limited(site, "west", kHourMs);  // that job has gone
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{4, 4});
}

TEST_CASE("of an agent that tells no limits the host is open until the reservation begins") {
  Site site = connected(one_pool(2, 4, LeaseType::exclusive), 2, 4);
  site.pass(kDelayMs);
  REQUIRE(lent(site) == Slots{4, 4});
  reserve(site, 0, kHourMs);
  site.pass(kHourMs - 1'000);
  CHECK(lent(site) == Slots{4, 4});
  site.pass(1'000);
  CHECK(lent(site) == Slots{0, 4});
}

TEST_CASE("what is closed for a reservation stays closed while its borrower greets anew") {
  Site site = lent_for_good(0, 2 * kHourMs);
  reserve(site, 0, kHourMs);
  REQUIRE(lent(site) == Slots{0, 4});
  site.hello("west");
  reserve(site, 0, kHourMs);
  site.pass(1'000);
  CHECK(lent(site) == Slots{0, 4});
}

TEST_CASE(
    "a host whose reservation has begun stays closed until that ends, and nobody waits for it") {
  for (const bool has_limit : {true, false}) {
    Site site = connected(one_pool(2, 4, LeaseType::exclusive), 2, 4);
    if (has_limit) limited(site, "west", kHourMs);
    site.pass(kDelayMs);
    REQUIRE(lent(site) == Slots{4, 4});
    site.use("west", kPool, 0, 1);
    site.run_until_idle();
    reserve(site, 0, -kHourMs / 2);  // the agent was away when it began
    site.pass(1'000);
    CHECK(lent(site) == Slots{1, 4});
    CHECK(next_deadline(site.state) > site.now);
    site.pass(kHourMs);  // its end has passed, and the agent has not said so yet
    CHECK(lent(site) == Slots{1, 4});
    CHECK(asked_by_reclaim(site) == 0);
    reserve_no_more(site, 0);
    site.pass(kDelayMs);
    CHECK(lent(site) == Slots{4, 4});
  }
}

TEST_CASE("a reservation that is called off, or over, opens the host again") {
  Site site = lent_for_good(1, 2 * kHourMs);
  reserve(site, 0, kHourMs);
  REQUIRE(lent(site) == Slots{1, 4});
  reserve_no_more(site, 0);
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{4, 4});
  CHECK(site.group(kPool).transfers.empty());
}

TEST_CASE("a lease whose hosts are all reserved says so") {
  Site site = lent_for_good(0, 2 * kHourMs);
  reserve(site, 0, kHourMs);
  reserve(site, 1, kHourMs);
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{0, 0});
  CHECK(token(site.group(kPool).reason) == token(Reason::host_reserved));
}

TEST_CASE("the first slots of a lease lie on a host without a horizon") {
  Site site(one_pool(2, 4));
  site.add_hosts("east", 2, 4);
  site.start();
  site.hello("east");
  reserve(site, 0, kHourMs);
  site.hello("west");
  site.run_until_idle();
  CHECK(lent(site) == Slots{1, 0});  // west has said nothing of its limits, and an hour is left
  Site strict(one_pool(2, 4));
  strict.add_hosts("east", 2, 4);
  strict.start();
  strict.hello("west");
  limited(strict, "west", 2 * kHourMs);
  strict.hello("east");
  reserve(strict, 0, kHourMs);
  strict.pass(kDelayMs);
  CHECK(lent(strict) == Slots{0, 1});
}

TEST_CASE("a restart of the broker knows when a host closes, and that it is closed") {
  Site site = lent_for_good(1, kHourMs);
  reserve(site, 0, 2 * kHourMs);
  site.restart_broker();
  site.hello("east");
  site.hello("west");
  limited(site, "west", kHourMs);
  site.pass(kHourMs - 60'000);
  CHECK(lent(site) == Slots{4, 4});
  site.pass(60'000);
  CHECK(lent(site) == Slots{1, 4});
  site.restart_broker();
  site.hello("west");
  site.hello("east");
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{1, 4});
}

TEST_CASE("plan: nobody but the owner is due anything of a host that is about to be reserved") {
  PlanSite site(plan_of({{"/a", "west", 8, 0}}), 2, 8);
  site.want("west", 16);
  for (int i = 0; i < 3; ++i) site.cycle();
  const size_t west = site.member("west");
  REQUIRE(site.pool().at(0, west).held == 8);
  REQUIRE(site.pool().at(1, west).held == 8);
  limited(site, "west", 2 * kHourMs);
  reserve(site, 0, kHourMs);
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(site.pool().at(0, west).due == 0);
  CHECK(site.pool().at(1, west).held == 8);
  for (const Transfer& open : site.pool().transfers) CHECK_FALSE(reclaims(open));
}

namespace {

constexpr int64_t kGraceMs = 60'000;

/// Two hosts of 4, lent with provider_first and in full use by work of at most an hour.
Site lent_until_asked(bool states_limits = true) {
  BrokerConfig config = by_demand(2, 4);
  config.policies.front().provider_first = true;
  config.policies.front().reclaim_grace_ms = kGraceMs;
  Site site = connected(std::move(config), 2, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  waits(site, "west", 1, 100);
  site.pass(1);
  for (uint32_t row = 0; row < 2; ++row) site.use("west", kPool, row, 4);
  site.run_until_idle();
  if (states_limits) limited(site, "west", kHourMs);
  REQUIRE(lent(site) == Slots{4, 4});
  return site;
}

/// Returns the soonest instant at which work is asked to end for a reservation so long from now.
Instant asked_at(const Site& site, int64_t ahead_ms) {
  return site.now + (ahead_ms - kGraceMs - site.state.config.leeway_ms);
}

}  // namespace

TEST_CASE("with provider_first work is asked to end before a reservation, in time for its grace") {
  Site site = lent_until_asked();
  const Instant begin = site.now + 3 * kHourMs;
  const Instant asked = asked_at(site, 3 * kHourMs);
  reserve(site, 0, 3 * kHourMs);
  site.pass(2 * kHourMs);
  CHECK(wanted_by(site.group(kPool), kConsumer, 0, wire::Lowering::shrink) == 4);
  CHECK(site.state.horizon_next == asked);
  site.pass(asked - site.now - 1);
  CHECK(asked_by_reclaim(site) == 0);
  site.pass(1);
  REQUIRE(site.group(kPool).transfers.size() == 1);
  const Transfer& reclaim = site.group(kPool).transfers.front();
  CHECK(reclaim.lowering == wire::Lowering::reclaim);
  CHECK(token(reclaim.reason) == token(Reason::host_reserved));
  CHECK(reclaim.slots_wanted == 4);
  CHECK(reclaim.deadline == begin);
  CHECK(token(called_off(site).back()) == token(Reason::host_reserved));  // the shrink
  site.use("west", kPool, 0, 0);                                          // the grace is over
  site.run_until_idle();
  CHECK(lent(site) == Slots{0, 4});
  CHECK(next_deadline(site.state) > site.now);
}

TEST_CASE("work of a borrower that tells no limits is asked to end in time, and none begins then") {
  Site site = lent_until_asked(false);
  const Instant asked = asked_at(site, kHourMs);
  reserve(site, 0, kHourMs);
  site.pass(asked - site.now - 1);
  CHECK(site.group(kPool).transfers.empty());
  site.pass(1);
  CHECK(asked_by_reclaim(site) == 1);
  CHECK(consumer_cap(site.state, site.group(kPool), 0) == 0);
}

TEST_CASE("a host opens again to a borrower without limits when its reservation is put off") {
  Site site = lent_until_asked(false);
  const Instant asked = asked_at(site, kHourMs);
  reserve(site, 0, kHourMs);
  site.pass(asked - site.now);
  REQUIRE(consumer_cap(site.state, site.group(kPool), 0) == 0);
  reserve(site, 0, 7 * 24 * kHourMs);
  CHECK(asked_by_reclaim(site) == 0);
  CHECK(consumer_cap(site.state, site.group(kPool), 0) == 4);
}

TEST_CASE("work goes on when the reservation that it was to end for is called off") {
  Site site = lent_until_asked();
  const Instant asked = asked_at(site, kHourMs);
  reserve(site, 0, kHourMs);
  site.pass(asked - site.now);
  REQUIRE(asked_by_reclaim(site) == 1);
  SECTION("called off") {
    reserve_no_more(site, 0);
    CHECK(site.group(kPool).transfers.empty());
    CHECK(token(called_off(site).back()) == token(Reason::at_quota));
  }
  SECTION("put off: it goes home as its work ends, until it is asked again") {
    reserve(site, 0, kHourMs);
    CHECK(asked_by_reclaim(site) == 0);
    CHECK(wanted_by(site.group(kPool), kConsumer, 0, wire::Lowering::shrink) == 4);
    site.pass(kHourMs);
    CHECK(asked_by_reclaim(site) == 1);
  }
  CHECK(lent(site) == Slots{4, 4});
}

TEST_CASE("a restart of the broker does not forget which work was asked to end") {
  Site site = lent_until_asked();
  const Instant asked = asked_at(site, kHourMs);
  reserve(site, 0, kHourMs);
  site.pass(asked - site.now);
  REQUIRE(asked_by_reclaim(site) == 1);
  site.restart_broker();
  site.hello("west");
  site.hello("east");
  site.run_until_idle();
  CHECK(asked_by_reclaim(site) == 1);
  CHECK(wanted_by(site.group(kPool), kConsumer, 0, wire::Lowering::reclaim) == 4);
}

namespace {

constexpr int64_t kMinuteMs = 60'000;

/// West has two hosts of 8 in use, by work of at most ten minutes, as its plan gives it.
PlanSite in_use_by_west(Plan plan) {
  PlanSite site(std::move(plan), 2, 8);
  site.want("west", 16);
  for (int i = 0; i < 3; ++i) site.cycle();
  site.want("west", 16);
  limited(site, "west", 10 * kMinuteMs);
  REQUIRE(site.held("west") == 16);
  return site;
}

/// Slots of the first host that are asked from west in that way.
int32_t asked_of_west(const PlanSite& site, wire::Lowering lowering) {
  return wanted_by(site.pool(), site.member("west"), 0, lowering);
}

}  // namespace

TEST_CASE("plan: others' work ends in time for a reservation, unless reclaim_shared is off") {
  for (const bool reclaim_shared : {true, false}) {
    Plan plan = plan_of({{"/a", "west", 8, kGraceMs}, {"/b", "east", 8, 0}});
    plan.reclaim_shared = reclaim_shared;
    PlanSite site = in_use_by_west(std::move(plan));
    const Instant asked = asked_at(site, 20 * kMinuteMs);
    reserve(site, 0, 20 * kMinuteMs);
    site.pass(asked - site.now - 1);
    CHECK(asked_of_west(site, wire::Lowering::shrink) == 8);
    site.pass(1);
    CHECK(asked_of_west(site, wire::Lowering::reclaim) == (reclaim_shared ? 8 : 0));
    REQUIRE(site.pool().transfers.size() == 1);
    CHECK(token(site.pool().transfers.front().reason) == token(Reason::host_reserved));
    CHECK(site.pool().transfers.front().grace_ms == (reclaim_shared ? kGraceMs : 0));
  }
}

TEST_CASE("plan: work goes on where the reservation that it was to end for is put off") {
  PlanSite site = in_use_by_west(plan_of({{"/a", "west", 16, kGraceMs}}));
  const Instant asked = asked_at(site, 20 * kMinuteMs);
  reserve(site, 0, 20 * kMinuteMs);
  site.pass(asked - site.now);
  REQUIRE(asked_of_west(site, wire::Lowering::reclaim) == 8);
  reserve(site, 0, 8 * kMinuteMs);
  CHECK(asked_of_west(site, wire::Lowering::reclaim) == 0);
  CHECK(asked_of_west(site, wire::Lowering::shrink) == 8);
}
