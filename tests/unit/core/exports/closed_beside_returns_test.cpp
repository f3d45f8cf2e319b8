// An operator closes a host of which something is asked back already.
#include <catch2/catch.hpp>

#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/ledger/choosing_site.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

OperatorCommand close_host(const std::string& host, bool reclaim,
                           const std::string& consumer = "") {
  OperatorCommand command = ordered(Command::close, "east", host);
  command.reclaim = reclaim;
  command.consumer = consumer;
  return command;
}

int32_t asked(const Site& site, uint32_t row, wire::Lowering lowering) {
  return wanted_by(site.group(kPool), kConsumer, row, lowering);
}

}  // namespace

TEST_CASE("a host closed for one consumer ended the work of another that drains") {
  BrokerConfig config = one_pool(2, 4);
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  Site site(config);
  site.add_hosts("east", 2, 8);
  site.start();
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  site.step(ordered(Command::drain, "west"));
  site.run_until_idle();
  const int32_t shrinks = asked(site, 0, wire::Lowering::shrink);
  REQUIRE(shrinks > 0);
  site.step(close_host("h0", true, "north"));
  site.run_until_idle();
  CHECK(asked(site, 0, wire::Lowering::reclaim) == 0);
  CHECK(asked(site, 0, wire::Lowering::shrink) == shrinks);
}

TEST_CASE("close --reclaim waited until what a plan reclaims of the host was over") {
  constexpr int64_t kGraceMs = 90'000;
  PlanSite site(plan_of({{"/A", "west", 10, kGraceMs}, {"/B", "north", 10, 0}}), 2, 10);
  site.want("west", 20);
  site.cycle();
  site.want("west", 20);
  site.agent("north").pending = 3;
  site.report("north");
  site.cycle();
  REQUIRE_FALSE(site.pool().transfers.empty());
  const uint32_t row = site.pool().transfers.front().wanted.front().first;
  REQUIRE(wanted_by(site.pool(), site.member("west"), row, wire::Lowering::reclaim) == 3);
  site.step(close_host("h" + std::to_string(row), true));
  site.run_until_idle();
  CHECK(wanted_by(site.pool(), site.member("west"), row, wire::Lowering::reclaim) == 10);
}

TEST_CASE("the agent that chooses was not told of a host that was closed while it gives up slots") {
  ChoosingSite site;
  site.wants("north", 6);
  const uint32_t row = site.part(0).transfers.front().wanted.front().first;
  int orders = 0;
  site.watcher = [&orders](const std::string& cluster, const wire::Order&) {
    orders += static_cast<int>(cluster == "west");
  };
  site.step(close_host("h" + std::to_string(row), GENERATE(false, true)));
  site.run_until_idle();
  CHECK(orders > 0);
}

TEST_CASE("a part of a whole host went to and fro without end while its provider was away") {
  BrokerConfig config = one_pool(1, 3, LeaseType::exclusive);
  config.policies[0].unit = LeaseUnit::host;
  Site site(config);
  site.add_hosts("east", 1, 8);
  site.start();
  for (const char* cluster : {"east", "west"}) site.hello(cluster);
  site.run_until_idle();
  REQUIRE(site.group(kPool).at(0, kConsumer).held == 3);
  site.agent("east").hosts[0].up = false;
  site.step(InventoryReported{"east", site.agent("east").session, site.agent("east").hosts});
  config.policies[0].slots_per_host = 4;
  site.load(config);
  site.lose("east");
  int orders = 0;
  site.watcher = [&orders](const std::string&, const wire::Order&) { REQUIRE(++orders < 100); };
  site.run_until_idle();
  CHECK(site.group(kPool).at(0, kConsumer).held + site.group(kPool).hosts[0].in_transfer <= 3);
}
