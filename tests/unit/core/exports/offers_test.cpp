// The consumer's first slots: where they are offered, and what happens when that place fails.
#include <catch2/catch.hpp>

#include "broker/core/exports/offer.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

int32_t offered_on(const Site& site, uint32_t row) {
  return site.group(kPool).at(row, kConsumer).held;
}

void set_up(Site& site, const std::string& cluster, uint32_t row, bool up) {
  row_of(site, cluster, row).up = up;
  site.run_until_idle();
}

/// East is there, `used` of its hosts' slots are in use, then west comes.
Site with_busy_provider(BrokerConfig config, std::vector<int32_t> used, int32_t slots) {
  Site site(std::move(config));
  site.add_hosts("east", static_cast<int>(used.size()), slots);
  site.start();
  site.hello("east");
  site.run_until_idle();
  for (uint32_t row = 0; row < used.size(); ++row) row_of(site, "east", row).used = used[row];
  site.report("east");
  site.hello("west");
  site.run_until_idle();
  return site;
}

}  // namespace

TEST_CASE("the first slot lies on the first host that both sides call up") {
  Site site(one_pool(3, 4));
  site.add_hosts("east", 3, 4);
  site.start();
  site.hello("east");
  site.run_until_idle();
  set_up(site, "east", 0, false);
  site.hello("west");
  site.run_until_idle();
  CHECK(offered_on(site, 0) == 0);
  CHECK(offered_on(site, 1) == 1);
}

TEST_CASE("more initial slots are spread over as many hosts as it takes") {
  BrokerConfig config = one_pool(3, 4);
  config.policies[0].initial_slots = 6;
  Site site = connected(config, 3, 4);
  CHECK(offered_on(site, 0) == 4);
  CHECK(offered_on(site, 1) == 2);
  CHECK(offered_on(site, 2) == 0);
}

TEST_CASE("a slot offered on a host that fails goes home, and another is offered") {
  Site site = connected(one_pool(2, 4), 2, 4);
  REQUIRE(offered_on(site, 0) == 1);
  const std::string side = GENERATE("east", "west");
  set_up(site, side, 0, false);
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 1);
  CHECK(offered_on(site, 1) == 1);
  set_up(site, side, 0, true);
  site.pass(kDelayMs);
  CHECK(offered_on(site, 1) == 1);  // it stays where it is
  CHECK(site.held(kPool, kConsumer) == 1);
}

TEST_CASE("an offer on a host that fails while the provider still runs jobs there is dropped") {
  Site site = with_busy_provider(one_pool(2, 4), {4, 4}, 4);
  REQUIRE(site.held(kPool, kConsumer) == 0);
  REQUIRE(site.group(kPool).transfers.size() == 1);
  CHECK(row_of(site, "east", 0).shrink_to == 3);
  set_up(site, "west", 0, false);
  REQUIRE(site.group(kPool).transfers.size() == 1);
  CHECK(row_of(site, "east", 0).shrink_to == -1);
  CHECK(row_of(site, "east", 1).shrink_to == 3);
  site.use("east", kPool, 1, 3);
  site.run_until_idle();
  CHECK(offered_on(site, 1) == 1);
}

TEST_CASE("an offer that came in part on a host that fails is not dropped for it") {
  BrokerConfig config = one_pool(2, 2);
  config.policies[0].initial_slots = 4;
  Site site = with_busy_provider(config, {2, 2}, 2);
  site.use("east", kPool, 0, 0);
  site.run_until_idle();
  REQUIRE(offered_on(site, 0) == 2);
  set_up(site, "west", 0, false);
  CHECK(row_of(site, "east", 1).shrink_to == 0);
  site.use("east", kPool, 1, 0);
  site.run_until_idle();
  CHECK(offered_on(site, 1) == 2);
}

TEST_CASE("a closed host is not offered, and slots on it do not count as offered") {
  Site site = connected(one_pool(2, 4), 2, 4);
  site.step(ordered(Command::close, "east", "h0"));
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(offered_on(site, 0) == 0);
  CHECK(offered_on(site, 1) == 1);
}

TEST_CASE("nothing is offered while frozen, in breach, in quarantine, degraded or to nobody") {
  Site site(one_pool(1, 4));
  site.add_hosts("east", 1, 4);
  site.start();
  site.hello("east");
  site.run_until_idle();
  SECTION("frozen") {
    site.step(ordered(Command::freeze));
    site.hello("west");
    site.run_until_idle();
    CHECK(site.held(kPool, kConsumer) == 0);
    site.step(ordered(Command::thaw));
    site.run_until_idle();
  }
  SECTION("in breach") {
    site.state.slot_groups[0].breach = true;
    site.state.slot_groups[0].members[kProvider].breach = 1;
    site.hello("west");
    site.run_until_idle();
    CHECK(site.held(kPool, kConsumer) == 0);
    site.state.slot_groups[0].members[kProvider].breach = 0;
    site.state.slot_groups[0].breach = false;
    site.pass(kDelayMs);
  }
  SECTION("in quarantine") {
    site.restart_broker();
    site.hello("west");
    site.run_until_idle();
    CHECK(site.held(kPool, kConsumer) == 0);
    site.hello("east");
    site.run_until_idle();
  }
  SECTION("the consumer does not answer") {
    site.hello("west");
    site.agent("west").inbox.clear();
    CHECK(site.held(kPool, kConsumer) == 0);
    site.lose("west");
    site.hello("west");
    site.run_until_idle();
  }
  CHECK(site.held(kPool, kConsumer) == 1);
}

TEST_CASE("an exclusive lease is due more while a row of the consumer's is short") {
  Site site = connected(one_pool(2, 4, LeaseType::exclusive), 2, 4);
  CHECK_FALSE(has_shortfall(site.state, site.group(kPool)));
  site.state.slot_groups[0].at(1, kConsumer).held = 3;
  CHECK(has_shortfall(site.state, site.group(kPool)));
}

TEST_CASE("what a reload asks back stays with the consumer once another exports it after all") {
  const BrokerConfig both = one_pool(2, 1, LeaseType::exclusive);
  Site site = connected(both, 2, 1);
  site.use("west", kPool, 0, 1);
  site.use("west", kPool, 1, 1);
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 2);
  BrokerConfig none = both;
  none.policies.front().hosts = {"h9"};
  site.load(none);
  site.run_until_idle();
  REQUIRE(site.group(kPool).transfers.size() == 1);  // both are asked back, and in use
  site.load(both);
  site.run_until_idle();
  CHECK(site.group(kPool).transfers.empty());
  CHECK(called_off(site) == std::vector{Reason::at_quota});  // it may keep them, nobody ordered it
  site.use("west", kPool, 1, 0);
  for (int turns = 0; turns < 5; ++turns) site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 2);
  const auto started = site.count(RecordKind::transfer_started);
  site.pass(kDelayMs);
  CHECK(site.count(RecordKind::transfer_started) == started);
}
