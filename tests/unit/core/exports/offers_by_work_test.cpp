// Under demand-aware the consumer's first slots are those that start the smallest of its jobs.
#include <catch2/catch.hpp>

#include "broker/core/lease/by_demand.hpp"
#include "tests/unit/core/lease/demand_fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

int32_t lent_on(const Site& site, uint32_t row) {
  return site.group(kPool).at(row, kConsumer).held;
}

/// The provider's jobs use so many slots of the two hosts of 4 before the consumer comes.
Site with_busy_provider(int32_t first, int32_t second) {
  Site site(by_demand(2, 4));
  site.add_hosts("east", 2, 4);
  site.start();
  site.hello("east");
  site.run_until_idle();
  row_of(site, "east", 0).used = first;
  row_of(site, "east", 1).used = second;
  site.report("east");
  site.hello("west");
  site.run_until_idle();
  return site;
}

/// A job of west on both hosts was offered them; the owner used one before it came.
Site given_one_of_two_hosts() {
  Site site = connected(by_demand(2, 2), 2, 2);
  waits(site, "west", 4, 1, 2);
  site.step(Tick{});
  row_of(site, "east", 1).used = 2;
  site.run_until_idle();
  REQUIRE(lent_on(site, 0) == 2);
  REQUIRE(site.group(kPool).transfers.size() == 1);  // of the other host
  return site;
}

}  // namespace

TEST_CASE("a consumer of jobs of two slots had one slot, and never a lease") {
  Site site = connected(by_demand(2, 4), 2, 4);
  REQUIRE(lent_on(site, 0) == 1);
  waits(site, "west", 2, 1, 2);
  site.pass(0);
  CHECK(held(site) == std::pair(6, 2));
  CHECK(lent_on(site, 0) == 2);
  CHECK(site.phase(kPool) == "offered");
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  waits(site, "west", 0, 0);
  CHECK(site.phase(kPool) == "active");
  site.pass(2 * kDelayMs);
  CHECK(held(site) == std::pair(6, 2));
  CHECK(site.group(kPool).demand->grant.to == demand_aware::kNobody);
  CHECK(site.group(kPool).demand->back_offs.empty());
}

TEST_CASE("who claims work and starts none has slots for it once, then ever later") {
  Site site = connected(by_demand(2, 4), 2, 4);
  waits(site, "west", 2, 1, 2);
  site.pass(0);
  for (int64_t delays = 1; delays <= 4; delays *= 2) {
    INFO(delays);
    REQUIRE(held(site) == std::pair(6, 2));
    site.pass(kDemandUseByMs - 1);
    CHECK(held(site) == std::pair(6, 2));
    site.pass(1);
    CHECK(held(site) == std::pair(7, 1));  // the first slot stays
    site.pass(delays * kDelayMs - 1);
    CHECK(held(site) == std::pair(7, 1));
    site.pass(1);
  }
  CHECK(site.phase(kPool) == "offered");
}

TEST_CASE("the offer is on a host where the job fits, and the first slot goes home for it") {
  Site site = connected(by_demand(2, 4), 2, 4);
  site.use("east", kPool, 0, 3);
  site.run_until_idle();
  REQUIRE(lent_on(site, 0) == 1);
  waits(site, "west", 2, 1, 2);
  site.pass(0);
  CHECK(lent_on(site, 0) == 0);
  CHECK(lent_on(site, 1) == 2);
  site.pass(kDemandUseByMs);
  CHECK(lent_on(site, 0) == 0);
  CHECK(lent_on(site, 1) == 1);
}

TEST_CASE("a first slot that the provider's jobs keep does not keep those that work needs") {
  Site site = with_busy_provider(4, 0);
  REQUIRE(held(site) == std::pair(8, 0));
  waits(site, "west", 2, 1, 2);
  site.pass(0);
  CHECK(lent_on(site, 1) == 2);
  site.use("west", kPool, 1, 2);
  site.run_until_idle();
  waits(site, "west", 0, 0);
  CHECK(site.phase(kPool) == "active");
  REQUIRE(site.group(kPool).transfers.size() == 1);  // that of the first slot
  site.pass(kDemandUseByMs);
  CHECK(lent_on(site, 1) == 2);
  CHECK(site.group(kPool).demand->back_offs.empty());
}

TEST_CASE("once the lease is made, what was offered for work and did not come is withdrawn") {
  Site site = given_one_of_two_hosts();
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  waits(site, "west", 0, 0);
  REQUIRE(site.phase(kPool) == "active");
  site.pass(kDemandUseByMs);
  CHECK(site.group(kPool).transfers.empty());
  CHECK(held(site) == std::pair(2, 2));
  CHECK(site.group(kPool).demand->grant.to == demand_aware::kNobody);
  CHECK(site.group(kPool).demand->left_unused == 0);
  CHECK(site.group(kPool).demand->back_offs.empty());
}

TEST_CASE("a job that was given one of its two hosts had to wait for not having used that") {
  Site site = given_one_of_two_hosts();
  site.pass(kDemandUseByMs);
  CHECK(site.group(kPool).transfers.empty());
  CHECK(held(site) == std::pair(3, 1));
  CHECK(site.group(kPool).demand->back_offs.empty());
  site.use("east", kPool, 1, 0);
  site.run_until_idle();
  site.pass(kDemandMinHoldMs);
  CHECK(held(site) == std::pair(0, 4));
}

TEST_CASE("where a job of the provider was there first the offer is made elsewhere") {
  Site site = connected(by_demand(2, 2), 2, 2);
  waits(site, "west", 2, 1, 2);
  site.step(Tick{});
  REQUIRE(site.group(kPool).transfers.size() == 1);
  row_of(site, "east", 0).used = 1;
  site.run_until_idle();
  REQUIRE(held(site) == std::pair(3, 1));
  site.pass(kDemandUseByMs - 1);
  CHECK(held(site) == std::pair(3, 1));
  site.pass(1);
  CHECK(lent_on(site, 0) == 0);
  CHECK(lent_on(site, 1) == 2);
  CHECK(site.group(kPool).demand->back_offs.empty());
}

TEST_CASE("offers by work are for the rule that reads it, and for agents that tell it") {
  SECTION("another rule") {
    Site site = connected(one_pool(2, 4), 2, 4);
    waits(site, "west", 2, 1, 2);
    site.pass(kDelayMs);
    CHECK(held(site) == std::pair(7, 1));
  }
  SECTION("an agent that tells a number alone") {
    Site site = connected(by_demand(2, 4), 2, 4);
    site.agent("west").pending = 5;
    site.report("west");
    site.pass(kDelayMs);
    CHECK(held(site) == std::pair(7, 1));
  }
  SECTION("while leases are frozen") {
    Site site = connected(by_demand(2, 4), 2, 4);
    site.step(ordered(Command::freeze));
    waits(site, "west", 2, 1, 2);
    site.pass(kDelayMs);
    CHECK(held(site) == std::pair(7, 1));
    const int before = site.count(RecordKind::transfer_started);
    site.step(ordered(Command::thaw));
    site.pass(kDelayMs);
    CHECK(site.count(RecordKind::transfer_started) > before);
  }
}

TEST_CASE("what the consumer's work keeps of a first offer does not hide what the provider uses") {
  Site site = made_by_demand();
  site.use("east", kPool, 0, 7);
  site.run_until_idle();
  SlotGroup& group = site.state.slot_groups[0];
  group.demand.emplace();
  group.demand->grant = {kProvider, 2, 2, site.now, {{2, 1, 2}}};
  Transfer open;
  open.from = kConsumer;
  open.to = kProvider;
  open.lowering = wire::Lowering::shrink;
  open.reason = Reason::grant_unused;
  open.wanted = {{0, 1}};
  group.transfers.push_back(std::move(open));
  note_grant_use(site.state, 0, kProvider);
  CHECK(group.demand->grant.unused == 0);
}

TEST_CASE("what was offered for work and not used goes back after a reload to another rule, too") {
  Site site = connected(by_demand(2, 4), 2, 4);
  waits(site, "west", 3, 1, 3);
  site.pass(0);
  REQUIRE(held(site) == std::pair(5, 3));
  site.load(one_pool(2, 4));
  site.run_until_idle();
  SECTION("in time") {
    site.pass(kDemandUseByMs - 1);
    CHECK(held(site) == std::pair(5, 3));
    site.pass(1);
    CHECK(held(site) == std::pair(7, 1));
    CHECK_FALSE(site.group(kPool).demand);
    site.pass(2 * kDelayMs);
    CHECK(held(site) == std::pair(7, 1));
  }
  SECTION("unless it is used") {
    site.use("west", kPool, 0, 3);
    site.run_until_idle();
    CHECK(site.phase(kPool) == "active");
    CHECK(held(site) == std::pair(5, 3));
    CHECK_FALSE(site.group(kPool).demand);
  }
}

TEST_CASE("what was offered for work and not used goes back after a restart, too") {
  Site site = connected(by_demand(2, 4), 2, 4);
  waits(site, "west", 2, 1, 2);
  site.pass(0);
  REQUIRE(held(site) == std::pair(6, 2));
  site.restart_broker();
  for (const char* name : {"east", "west"}) site.hello(name);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(held(site) == std::pair(7, 1));
  CHECK(site.group(kPool).demand->back_offs.size() == 1);
}
