// The broker sends an agent its groups, their order and its shared resources.
#include <catch2/catch.hpp>

#include "broker/core/agents/configuration.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

std::vector<std::string> leases(const wire::Configuration& configuration) {
  std::vector<std::string> names;
  for (const wire::ConfiguredGroup& group : configuration.groups) {
    names.push_back(group.lease + (group.draining ? " draining" : ""));
  }
  return names;
}

wire::Configuration configuration_of(const Site& site, const char* cluster) {
  return configuration_for(site.state, find_cluster(site.state, cluster));
}

}  // namespace

TEST_CASE("groups are told in order of declaration, draining ones last") {
  BrokerConfig config = one_pool(1, 2);
  ExportPolicy second = config.policies[0];
  second.name = "second";
  ExportPolicy third = config.policies[0];
  third.name = "third";
  config.policies = {config.policies[0], second};
  Site site = connected(config, 1, 8);
  CHECK(leases(configuration_of(site, "west")) ==
        std::vector<std::string>{"pool:west", "second:west"});
  for (const char* lease : {"pool:west", "second:west"}) site.use("west", lease, 0, 1);
  site.run_until_idle();
  config.policies = {third, second};
  site.load(config);
  site.run_until_idle();
  CHECK(leases(configuration_of(site, "west")) ==
        std::vector<std::string>{"third:west", "second:west", "pool:west draining"});
  CHECK(leases(configuration_of(site, "east")) == leases(configuration_of(site, "west")));
}

TEST_CASE("a group is told with its role, its hosts and which of them drain") {
  BrokerConfig config = one_pool(2, 4);
  config.policies[0].mem_mb = 16;
  config.policies[0].swap_mb = 8;
  Site site(config);
  site.agent("east").fences = {true, true, false};
  site.add_hosts("east", 2, 4);
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.step(ordered(Command::close, "east", "h1"));
  const wire::ConfiguredGroup east = configuration_of(site, "east").groups.at(0);
  const wire::ConfiguredGroup west = configuration_of(site, "west").groups.at(0);
  CHECK(east.role == wire::Role::provider);
  CHECK(east.peer == "west");
  CHECK(west.role == wire::Role::consumer);
  CHECK(west.peer == "east");
  CHECK(west.mem_mb == 16);
  CHECK(west.swap_mb == 8);
  CHECK(west.shared);
  REQUIRE(west.hosts.size() == 2);
  CHECK_FALSE(west.hosts[0].draining);
  CHECK(west.hosts[1].draining);
  CHECK(west.hosts[1].slots == 4);
}

TEST_CASE("instances of a shared resource are told to provider and consumers by their shares") {
  BrokerConfig config = one_pool(1, 4);
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  SharedResource simlic;
  simlic.name = "simlic";
  simlic.provider = "east";
  simlic.instances = 10;
  simlic.distribution = {{"west", 30}, {"north", 70}};
  config.resources = {simlic};
  Site site = connected(config, 1, 4);
  const auto east = configuration_of(site, "east").resources;
  REQUIRE(east.size() == 2);
  CHECK(east[0].role == wire::Role::provider);
  CHECK(east[0].peer == "west");
  CHECK(east[0].instances == 3);
  CHECK(east[1].instances == 7);
  const auto north = configuration_of(site, "north").resources;
  REQUIRE(north.size() == 1);
  CHECK(north[0].role == wire::Role::consumer);
  CHECK(north[0].peer == "east");
  CHECK(north[0].instances == 7);
  CHECK(north[0].name == "simlic");
}

TEST_CASE("an inventory that changes no export is no news to anybody") {
  Site site = connected(one_pool(1, 4), 1, 4);
  const uint64_t number = site.state.clusters[find_cluster(site.state, "west")].configuration;
  site.add_hosts("east", 1, 4);
  site.agent("east").hosts.back().name = "h9";  // of no policy
  CHECK(site.step(InventoryReported{"east", site.agent("east").session, site.agent("east").hosts}));
  CHECK(site.agent("west").inbox.empty());
  CHECK(site.state.clusters[find_cluster(site.state, "west")].configuration == number);
}
