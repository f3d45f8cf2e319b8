// Which consumers of a policy have a lease, and what each is due, as its distribution changes.
#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

BrokerConfig with_north(BrokerConfig config, int64_t shares) {
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  config.policies[0].distribution.push_back({"north", shares});
  return config;
}

}  // namespace

TEST_CASE("one consumer less drains its group alone, and the others' shares grow") {
  Site site(with_north(one_pool(1, 4), 1));
  site.add_hosts("east", 1, 4);
  site.start();
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  CHECK(exported(site.group(kPool)) == 2);
  CHECK(exported(site.group("pool:north")) == 2);
  BrokerConfig alone = site.state.config;
  alone.policies[0].distribution.own().pop_back();
  site.load(alone);
  site.run_until_idle();
  CHECK(find_lease(site.state, "pool:north") == kNoIndex);
  CHECK(exported(site.group(kPool)) == 4);
  CHECK(site.phase(kPool) == "offered");
}

TEST_CASE("shares in another order are the same leases, with what each is due") {
  Site site(with_north(one_pool(1, 4), 3));
  site.add_hosts("east", 1, 4);
  site.start();
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  const std::vector<uint64_t> before{site.group(kPool).generation,
                                     site.group("pool:north").generation};
  BrokerConfig turned = site.state.config;
  turned.policies[0].distribution = {{"north", 3}, {"south", 0}, {"west", 1}};
  site.load(turned);
  site.run_until_idle();
  CHECK(site.state.slot_groups.size() == 2);
  CHECK(std::vector{site.group(kPool).generation, site.group("pool:north").generation} == before);
  CHECK(exported(site.group(kPool)) == 1);
  CHECK(exported(site.group("pool:north")) == 3);
  CHECK(site.phase(kPool) == "offered");
}

TEST_CASE("a share that comes to no slot makes no lease, nor does one of an unknown cluster") {
  BrokerConfig config = with_north(one_pool(1, 1), 1);
  std::vector<Share>& shares = config.policies[0].distribution.own();
  shares.insert(shares.begin(), {"south", 1});
  config.policies[0].slots_per_host = 2;  // south 1, west 1, north 0
  Site site = connected(config, 1, 4);
  CHECK(exported(site.group(kPool)) == 1);
  CHECK(find_lease(site.state, "pool:north") == kNoIndex);
  CHECK(site.state.slot_groups.size() == 1);
}
