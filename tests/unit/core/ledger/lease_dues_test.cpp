// The consumer of a lease is due slots of a row while they are asked for, in transfer and handed
// over: the table of broker/core/model/turn/lease_dues.hpp.
#include "broker/core/model/turn/lease_dues.hpp"

#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

int32_t due(const Site& site) {
  return site.group(kPool).at(0, kConsumer).due;
}

int32_t slots_in_transfer(const Site& site) {
  return site.group(kPool).hosts[0].in_transfer;
}

/// West states these limits of the host under its last order.
void state_limit(Site& site, int32_t limit, int32_t used) {
  AgentRow& row = row_of(site, "west");
  row.limit = limit;
  row.used = used;
  site.report("west");
}

}  // namespace

TEST_CASE("the consumer is due what it is offered before it has it") {
  Site site(one_pool(1, 8));
  site.add_hosts("east", 1, 8);
  site.start();
  site.hello("east");
  site.hello("west");
  CHECK(due(site) == 0);
  while (site.take_one("east") && site.group(kPool).transfers.empty()) {
  }
  while (site.group(kPool).transfers.empty()) REQUIRE(site.take_one("west"));
  CHECK(site.held(kPool, kConsumer) == 0);
  CHECK(due(site) == 1);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 1);
  CHECK(due(site) == 1);
}

TEST_CASE("the consumer is due what came of a release to it, not what was asked") {
  Site site = made(8);
  site.use("east", kPool, 0, 4);
  wait(site, kDelayMs);
  REQUIRE(site.group(kPool).transfers.size() == 1);
  CHECK(due(site) == 1);  // three are asked
  site.use("east", kPool, 0, 6);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 2);
  CHECK(due(site) == 2);
}

TEST_CASE("slots in transfer go by what the consumer is due: the rest is the provider's") {
  Site site = made(8);
  wait(site, kDelayMs);
  SlotGroup& group = site.state.slot_groups[0];
  // East gives up two by itself: they are in transfer for nobody.
  group.at(0, kProvider).held -= 2;
  group.hosts[0].in_transfer += 2;
  for (auto& [row, slots] : group.transfers.at(0).wanted) slots -= 2;
  row_of(site, "east").limit -= 2;
  REQUIRE(violations(site.state).empty());
  REQUIRE(site.take_one("east"));
  CHECK(site.held(kPool, kConsumer) == 6);
  CHECK(due(site) == 6);
  CHECK(site.held(kPool, kProvider) == 2);
  CHECK(slots_in_transfer(site) == 0);
}

TEST_CASE("what a rule asks back is due no longer, and due again where that is withdrawn") {
  Site site = borrowed();
  SlotGroup& group = site.state.slot_groups[0];
  Transfer asked;
  asked.from = kConsumer;
  asked.to = kProvider;
  asked.lowering = wire::Lowering::shrink;
  asked.wanted = {{0, 2}};
  SECTION("by a rule") {
    asked.reason = Reason::owner_waits;
    move_dues(group, asked);
    CHECK(due(site) == 6);
    group.transfers.push_back(asked);
    CHECK(violations(site.state).empty());
    group.transfers.pop_back();
    bound_dues(group);
    CHECK(due(site) == 8);
  }
  SECTION("because of a cap, what it is due stays, within the cap") {
    asked.reason = Reason::cluster_draining;
    move_dues(group, asked);
    CHECK(due(site) == 8);
    CHECK(due_within_cap(site.state, group, 0) == 8);
    site.step(ordered(Command::drain, "west"));
    CHECK(due(site) == 8);
    CHECK(due_within_cap(site.state, site.group(kPool), 0) == 0);
    site.step(ordered(Command::resume, "west"));
    CHECK(due_within_cap(site.state, site.group(kPool), 0) == 8);
  }
}

TEST_CASE("what the consumer gives up unasked it is due no longer: it waits for an evaluation") {
  Site site = borrowed();
  state_limit(site, 5, 3);
  CHECK(due(site) == 5);
  CHECK(slots_in_transfer(site) == 3);
  CHECK(violations(site.state).empty());
  wait(site, kDelayMs);
  CHECK(site.held(kPool, kProvider) >= 3);
}

TEST_CASE("a first slot that is refused is offered again after an evaluation, not at once") {
  Site site = connected(one_pool(1, 8), 1, 8);
  REQUIRE(site.held(kPool, kConsumer) == 1);
  const int offers = site.count(RecordKind::lease_offered);
  state_limit(site, 0, 0);
  site.run_until_idle();
  CHECK(slots_in_transfer(site) == 1);
  CHECK(due(site) == 0);
  CHECK(site.count(RecordKind::lease_offered) == offers);
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 1);
  CHECK(site.count(RecordKind::lease_offered) == offers + 1);
}

TEST_CASE("slots that return because a lease has ended are due to nobody") {
  Site site = borrowed();
  site.lose("west");
  site.lose("east");
  site.step(ordered(Command::forget, "west"));
  CHECK(site.held(kPool, kConsumer) == 0);
  CHECK(slots_in_transfer(site) == 8);
  CHECK(due(site) == 0);
  CHECK(violations(site.state).empty());
}

TEST_CASE("a state of an older core, which kept no dues of leases, has them when it is read") {
  Site site = borrowed();
  site.state.slot_groups[0].at(0, kConsumer).due = 0;
  CHECK_FALSE(violations(site.state).empty());
  derive(site.state);
  CHECK(due(site) == 8);
  CHECK(violations(site.state).empty());
}
