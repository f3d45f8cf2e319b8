// A statement speaks of hosts one by one: some it does not name, of some it says the same again.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("a host that a consumer called down and names no more is not known to be down") {
  Site site = borrowed();  // west holds 8 of h0 and uses 3
  row_of(site, "west").up = false;
  site.run_until_idle();
  const SlotGroup& group = site.group(kPool);
  REQUIRE(down_there(site.state, group, kConsumer, 0));
  REQUIRE(consumer_cap(site.state, group, 0) == 0);
  wire::GroupState said{group.generation, group.members[kConsumer].seq, true, 0, 0, 0};
  StateReported event;
  event.cluster = "west";
  event.session = site.agent("west").session;
  event.state = block_of(said, {});
  site.step(event);
  CHECK_FALSE(down_there(site.state, group, kConsumer, 0));
  CHECK(consumer_cap(site.state, group, 0) == 8);
  CHECK_FALSE(group.at(0, kConsumer).up);  // nor up
}

TEST_CASE("hosts may be stated in any order: what is not named is unknown, the others are up") {
  Site site = connected(one_pool(3, 4), 3, 4);
  const SlotGroup& group = site.group(kPool);
  for (uint32_t row = 0; row < 3; ++row) REQUIRE(group.at(row, kConsumer).up);
  wire::GroupState said{group.generation, group.members[kConsumer].seq, false, 0, 0, 0};
  StateReported event;
  event.cluster = "west";
  event.session = site.agent("west").session;
  event.state = block_of(said, {{2, 0, 0, true}, {0, 1, 0, true}});
  REQUIRE_FALSE(check_state(site.state, find_cluster(site.state, "west"), event.state));
  site.step(event);
  CHECK(group.at(0, kConsumer).up);
  CHECK_FALSE(group.at(1, kConsumer).up);
  CHECK(group.at(2, kConsumer).up);
}

TEST_CASE("slots that are withheld stay held when their limit is stated again") {
  Site site = connected(one_pool(2, 8), 2, 8);
  for (const uint32_t row : {0U, 1U}) site.use("west", kPool, row, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  for (const uint32_t row : {0U, 1U}) site.use("west", kPool, row, 3);
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 16);
  Agent& east = site.agent("east");
  east.hosts[0].up = false;
  site.step(InventoryReported{"east", east.session, east.hosts});
  site.run_until_idle();
  REQUIRE(row_of(site, "west").limit == 3);
  site.use("west", kPool, 1, 5);  // of the other host there is news
  site.report("west");
  const SlotGroup& group = site.group(kPool);
  CHECK(group.at(1, kConsumer).used == 5);
  CHECK(group.at(0, kConsumer).stated == 3);
  CHECK(group.at(0, kConsumer).held == 8);
  CHECK(in_transfer(group) == 0);
}
