// Hosts of one policy that are dealt to its consumers, each host to one of them.
#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using Names = std::vector<std::string>;

constexpr const char* kNorth = "pool:north";

BrokerConfig dealt(const Names& hosts, LeaseType type) {
  BrokerConfig config = one_pool(0, 4, type);
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  config.policies[0].hosts = hosts;
  config.policies[0].distribution.push_back({"north", 1});
  config.policies[0].by_host = true;
  return config;
}

Site with_three_agents(const BrokerConfig& config) {
  Site site(config);
  site.add_hosts("east", 3, 4);
  site.start();
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  return site;
}

Names exported_hosts(const Site& site, const std::string& lease) {
  Names names;
  const SlotGroup& group = site.group(lease);
  for (const HostLedger& row : group.hosts) {
    if (row.target > 0) names.push_back(site.state.clusters[0].hosts[row.host].facts.name);
  }
  return names;
}

}  // namespace

TEST_CASE("one policy gives each host of its list its own consumer, each with a lease of its own") {
  const Site site = with_three_agents(dealt({"h0", "h1", "h2"}, LeaseType::shared));
  CHECK(exported_hosts(site, kPool) == Names{"h0", "h2"});
  CHECK(exported_hosts(site, kNorth) == Names{"h1"});
  CHECK(exported(site.group(kPool)) == 8);
  CHECK(exported(site.group(kNorth)) == 4);
  CHECK(site.held(kPool, kConsumer) == 1);
  CHECK(site.held(kNorth, kConsumer) == 1);
  CHECK(site.group(kPool).generation != site.group(kNorth).generation);
}

TEST_CASE("leases of one policy's hosts are compared each by itself") {
  Site site = with_three_agents(dealt({"h0", "h1", "h2"}, LeaseType::shared));
  site.use("west", kPool, 0, 1);
  site.use("north", kNorth, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 8);  // all idle slots of its hosts
  CHECK(site.held(kNorth, kConsumer) == 4);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 0);
  CHECK(site.held(kNorth, kConsumer) == 1);  // what it uses
}

TEST_CASE("a host of the list that no agent knows moves no other to another consumer") {
  const Site site = with_three_agents(dealt({"h0", "elsewhere", "h2"}, LeaseType::exclusive));
  CHECK(exported_hosts(site, kPool) == Names{"h0", "h2"});
  CHECK(site.held(kPool, kConsumer) == 8);
  for (const SlotGroup& group : site.state.slot_groups) {
    CHECK(lease_id(site.state, group) != kNorth);
  }
}
