// Which of many leases' hosts are switched on for waiting work.
#include <catch2/catch.hpp>

#include "tests/unit/core/agents/off_hosts.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using Names = std::vector<std::string>;

/// The policy of `config` so many times, each with a host of its own.
BrokerConfig with_leases(BrokerConfig config, uint32_t leases) {
  const ExportPolicy one = config.policies[0];
  config.policies.clear();
  for (uint32_t p = 0; p < leases; ++p) {
    config.policies.push_back(one);
    config.policies.back().name = "p" + std::to_string(p);
    config.policies.back().hosts = {"h" + std::to_string(p)};
  }
  return config;
}

}  // namespace

TEST_CASE("among many leases the one with a sleeping host came in turn after hours") {
  constexpr uint32_t kLeases = 130;
  Site site = connected(with_leases(one_pool(1, 1), kLeases), kLeases, 1);
  for (uint32_t p = 0; p < kLeases; ++p) {
    const std::string lease = "p" + std::to_string(p) + ":west";
    site.use("east", lease, 0, 1);
  }
  site.run_until_idle();
  Agent& east = site.agent("east");
  east.hosts.back().up = false;
  east.hosts.back().not_up = wire::NotUp::asleep;
  for (const char* cluster : {"east", "west"}) {
    const std::string lease = "p" + std::to_string(kLeases - 1) + ":west";
    row_of(site, cluster, 0, lease).up = false;
  }
  site.step(InventoryReported{"east", east.session, east.hosts});
  wait_for(site, 1);
  for (const int64_t turns : {0, 1, 2}) {
    CHECK(off_hosts(site, "east", turns * kWakeTurnMs).wake == Names{east.hosts.back().name});
  }
}

TEST_CASE("before a host is switched on no more than 64 leases are asked what they could give") {
  constexpr uint32_t kLeases = 66;
  Site site = connected(with_leases(by_demand(1, 2), kLeases), kLeases, 2);
  for (uint32_t p = 0; p < kLeases; ++p) {  // one slot of each is east's, and idle
    site.use("west", "p" + std::to_string(p) + ":west", 0, 1);
  }
  site.run_until_idle();
  for (const char* cluster : {"east", "west"}) row_of(site, cluster, 0, "p65:west").up = false;
  turn(site, kLeases - 1, false);
  waits(site, "west", 1, 64);
  CHECK(off_hosts(site).wake.empty());
  waits(site, "west", 1, 65);
  CHECK(off_hosts(site).wake == Names{"h65"});
}
