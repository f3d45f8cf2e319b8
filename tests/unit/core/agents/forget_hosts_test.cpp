// Names of hosts that left an inventory: which are remembered, and for how long.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/vacant_hosts.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

std::vector<wire::HostFacts> hosts_named(const std::vector<std::string>& names) {
  std::vector<wire::HostFacts> hosts;
  for (const std::string& name : names) {
    hosts.emplace_back().name = name;
    hosts.back().slots = 4;
  }
  return hosts;
}

/// Hosts by place; "-": the place is free.
std::string places(const Site& site, const std::string& cluster) {
  std::string text;
  for (const Host& host : site.state.clusters[find_cluster(site.state, cluster)].hosts) {
    text += (text.empty() ? "" : " ") + (is_vacant(host) ? "-" : host.facts.name) +
            (is_vacant(host) || host.present ? "" : "(gone)");
  }
  return text;
}

void tell(Site& site, const std::string& cluster, const std::vector<std::string>& names) {
  site.step(InventoryReported{cluster, site.agent(cluster).session, hosts_named(names)});
}

}  // namespace

TEST_CASE("ten thousand names in turn are no more than those that are there") {
  // Each was remembered for ever, in the state, in its copies and in each base: 917 MB for 600,000.
  Site site = connected(one_pool(1, 4), 1, 4);
  constexpr int kNames = 10;
  for (int round = 0; round < 1'000; ++round) {
    std::vector<std::string> names{"h0"};
    for (int n = 0; n < kNames; ++n) {
      names.push_back(std::to_string(round) + "-" + std::to_string(n));
    }
    for (const char* cluster : {"east", "west"}) tell(site, cluster, names);
    for (const char* cluster : {"east", "west"}) {
      REQUIRE(site.state.clusters[find_cluster(site.state, cluster)].hosts.size() <=
              2 * kNames + 2);
    }
  }
}

TEST_CASE("what a group, an order or a closing names is remembered, and nothing else") {
  Site site = connected(one_pool(2, 4), 2, 4);  // h0 and h1 are exported
  tell(site, "east", {"h0", "h1", "a", "b", "c", "d"});
  site.step(ordered(Command::close, "east", "b"));
  OperatorCommand for_one = ordered(Command::close, "east", "c");
  for_one.consumer = "west";
  site.step(for_one);
  tell(site, "east", {"h0"});
  CHECK(places(site, "east") == "h0 h1(gone) - b(gone) c(gone)");
  tell(site, "east", {"h0", "h1", "x", "y"});  // takes the place that is free, then a new one
  CHECK(places(site, "east") == "h0 h1 x b(gone) c(gone) y");
  site.step(ordered(Command::open, "east", "b"));
  tell(site, "east", {"h0", "h1", "b"});
  CHECK(places(site, "east") == "h0 h1 - b c(gone)");
  CHECK(site.state.slot_groups.front().hosts[1].host == 1);
}

TEST_CASE("dues of a policy that name places of another cluster are none of this one's") {
  // Symptom: a policy that moved to another provider while its window was closed kept them, and
  // what they name was written behind the end of the list.
  Site site = connected(one_pool(1, 4), 1, 4);
  tell(site, "east", {"h0", "gone"});
  REQUIRE(places(site, "east") == "h0 gone");
  site.state.policies[0].configured = false;  // nor does a closed window make them again
  site.state.policies[0].allocation = Allocation(std::vector<ShareSlots>{{{90'000, 4}}});
  tell(site, "east", {"h0"});
  REQUIRE(site.state.policies[0].allocation.all().front().first == 90'000);
  CHECK(places(site, "east") == "h0");
}

TEST_CASE("no order reaches a place whose host is forgotten") {
  Site site = connected(one_pool(1, 4), 1, 4);
  tell(site, "east", {"h0", "a", "b"});
  tell(site, "east", {"h0", "b"});
  REQUIRE(places(site, "east") == "h0 - b");
  CHECK(check_command(site.state, ordered(Command::close, "east", "")).has_value());
  CHECK(check_command(site.state, ordered(Command::close, "east", "a")).has_value());
  CHECK_FALSE(check_command(site.state, ordered(Command::close, "east", "b")).has_value());
}

TEST_CASE("a start forgets what an older broker remembered") {
  Site site = connected(one_pool(1, 4), 1, 4);
  Cluster& west = site.state.clusters[find_cluster(site.state, "west")];
  for (const wire::HostFacts& facts : hosts_named({"a", "b", "c"})) {
    west.hosts.emplace_back().facts = facts;
  }
  west.hosts[1].present = true;
  const BrokerConfig config = site.state.config;
  site.step(BrokerStarted{site.state.incarnation + 1, false});
  site.load(config);
  CHECK(places(site, "west") == "- b");
  CHECK(places(site, "east") == "h0");
}
