// Waiting work that has slots in one lease or plan of its cluster is no demand in the others, until
// the time of those slots is over.
#include "broker/core/model/queries/being_served.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/model/turn/turn.hpp"
#include "tests/unit/core/lease/demand_fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr const char* kMore = "more:west";

/// West has a lease of each of two hosts of east. `made`: it runs on a slot of both.
Site with_two_leases(bool made = true) {
  BrokerConfig config = by_demand(1, 8);
  config.policies.push_back(config.policies.front());
  config.policies.back().name = "more";
  config.policies.back().hosts = {"h1"};
  Site site = connected(std::move(config), 2, 8);
  if (made) {
    for (const char* lease : {kPool, kMore}) site.use("west", lease, 0, 1);
    site.run_until_idle();
  }
  return site;
}

std::pair<int32_t, int32_t> lent(const Site& site) {
  return {site.held(kPool, kConsumer), site.held(kMore, kConsumer)};
}

}  // namespace

TEST_CASE("a job that waits was given slots by each of two leases") {
  Site site = with_two_leases();
  waits(site, "west", 2, 1, 2);
  site.pass(1);
  CHECK(lent(site) == std::pair(3, 1));
  CHECK(token(site.group(kMore).reason) == token(Reason::no_taker));
}

TEST_CASE(
    "a job that does not start where it has slots may start elsewhere, once their time is over") {
  Site site = with_two_leases();
  waits(site, "west", 2, 1, 2);
  site.pass(1);
  REQUIRE(lent(site) == std::pair(3, 1));
  site.pass(kDemandUseByMs - 2);
  CHECK(lent(site) == std::pair(3, 1));
  site.pass(1);
  CHECK(lent(site) == std::pair(1, 3));
}

TEST_CASE("of more jobs than one lease has slots for, the others are given some by the next") {
  Site site = with_two_leases();
  site.use("east", kPool, 0, 3);
  site.run_until_idle();
  waits(site, "west", 2, 3, 2);
  site.pass(1);
  CHECK(lent(site) == std::pair(5, 3));
}

TEST_CASE("slots that are for one job do not count for another") {
  Site site = with_two_leases();
  site.use("east", kPool, 0, 5);
  site.run_until_idle();
  tell(site, "west",
       {{2, 1, wire::TimeClass::unknown, 0, 1, 2, {}},
        {1, 1, wire::TimeClass::unknown, 0, 1, 3, {}}});
  site.pass(1);
  CHECK(lent(site) == std::pair(3, 4));
}

TEST_CASE("a job that waits was offered its first slots by each of two leases") {
  Site site = with_two_leases(false);
  REQUIRE(lent(site) == std::pair(1, 1));
  waits(site, "west", 2, 1, 2);
  site.pass(0);
  CHECK(lent(site) == std::pair(2, 1));
  site.pass(kDemandUseByMs);
  CHECK(lent(site) == std::pair(1, 2));
}

namespace {

using demand_aware::Grant;

struct Granted {
  std::string name;
  demand_aware::Ledger ledger;  // of one lease
  int64_t jobs = 0;             // that the other is not shown, of three of two slots
};

demand_aware::Ledger granted(const Grant& grant) {
  demand_aware::Ledger ledger;
  ledger.grant = grant;
  return ledger;
}

constexpr demand_aware::Shape kTwo{2, 1, 2};

std::vector<Granted> cases(Instant now) {
  const Grant four{kConsumer, 4, 4, now, {kTwo}};
  std::vector<Granted> all{{"nothing", {}, 0}, {"slots for two", granted(four), 2}};
  Granted made{"one has begun", granted(four), 1};
  made.ledger.grant.unused = 2;
  all.push_back(made);
  made = {"all have begun", granted(four), 0};
  made.ledger.grant.unused = 0;
  all.push_back(made);
  made = {"one, with what it has there", granted(four), 1};
  made.ledger.grant.slots = made.ledger.grant.unused = 1;
  all.push_back(made);
  made = {"slots for more than wait", granted(four), 3};
  made.ledger.grant.slots = made.ledger.grant.unused = 20;
  all.push_back(made);
  made = {"their time is over", granted(four), 0};
  made.ledger.grant.at = now + -kDemandUseByMs;
  all.push_back(made);
  made = {"for other work", granted(four), 0};
  made.ledger.grant.shapes = {{1, 1, 2}};
  all.push_back(made);
  made = {"for the owner's", granted(four), 0};
  made.ledger.grant.to = kProvider;
  all.push_back(made);
  made = {"an earlier one, too", granted(four), 3};
  made.ledger.earlier = {{kConsumer, 2, 2, now, {kTwo}}};
  all.push_back(made);
  made = {"the last move brought nothing", granted(four), 0};
  made.ledger.in_vain.failed = {false, true};
  all.push_back(made);
  return all;
}

}  // namespace

TEST_CASE("which waiting jobs are served by what another lease has given") {
  Site site = with_two_leases();
  waits(site, "west", 2, 3, 2);
  State& state = site.state;
  const uint32_t west = find_cluster(state, "west");
  const uint32_t pool = find_lease(state, kPool);
  for (const Granted& row : cases(state.now)) {
    INFO(row.name);
    state.slot_groups[pool].demand.emplace(row.ledger);
    mark_summary_stale(state, pool);
    const BeingServed served = being_served(state, west, site.group(kMore));
    CHECK(served.jobs_of(0) == row.jobs);
    CHECK((served.until == state.now + kDemandUseByMs) == (row.jobs > 0));
    CHECK(being_served(state, west, site.group(kPool)).jobs_of(0) == 0);
  }
}

TEST_CASE("a grant serves no job that its hosts are no use to, and of those that fill hosts few") {
  Site site = with_two_leases();
  State& state = site.state;
  const uint32_t west = find_cluster(state, "west");
  const uint32_t pool = find_lease(state, kPool);
  const auto served = [&](const demand_aware::Shape& shape) {
    state.slot_groups[pool].demand.emplace().grant = {kConsumer, 8, 8, state.now, {shape}};
    mark_summary_stale(state, pool);
    return being_served(state, west, site.group(kMore)).jobs_of(0);
  };
  waits(site, "west", 2, 3, 2, false, "big");
  CHECK(served(kTwo) == 0);
  waits(site, "west", 1, 3, 1, true);
  CHECK(served({1, 1, 1, true}) == 1);
}

namespace {

int64_t reclaims_of(const Site& site, const char* lease) {
  const Transfers& open = site.group(lease).transfers;
  return std::count_if(open.begin(), open.end(),
                       [](const Transfer& one) { return one.lowering == wire::Lowering::reclaim; });
}

}  // namespace

TEST_CASE("an owner's job was given slots by two of its leases, which ended two consumers' work") {
  BrokerConfig config = by_demand(1, 8);
  config.policies.front().provider_first = true;
  config.policies.front().reclaim_grace_ms = 2 * kDelayMs;
  config.policies.push_back(config.policies.front());
  config.policies.back().name = "more";
  config.policies.back().hosts = {"h1"};
  Site site = connected(std::move(config), 2, 8);
  for (const char* lease : {kPool, kMore}) site.use("west", lease, 0, 1);
  site.run_until_idle();
  waits(site, "west", 7, 2, 7);
  site.pass(1);
  for (const char* lease : {kPool, kMore}) site.use("west", lease, 0, 8);
  site.run_until_idle();
  waits(site, "west", 0, 0);
  REQUIRE(lent(site) == std::pair(8, 8));
  waits(site, "east", 2, 1, 2);
  site.pass(site.state.grids[site.group(kPool).grid].next - site.now);
  CHECK(reclaims_of(site, kPool) == 1);
  CHECK(reclaims_of(site, kMore) == 0);
}
