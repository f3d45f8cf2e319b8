// An inventory says which hosts a cluster has: all of them, or what is other than was known.
#include "broker/core/agents/inventory.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

std::vector<std::string> hosts_of(const Site& site) {
  std::vector<std::string> hosts;
  for (const Host& host : site.state.clusters[find_cluster(site.state, "east")].hosts) {
    hosts.push_back(host.facts.name + (host.present ? " there " : " gone ") +
                    std::to_string(host.facts.slots) + (host.facts.up ? " up " : " down ") +
                    std::to_string(host.down_since.ms));
  }
  return hosts;
}

}  // namespace

TEST_CASE("of an inventory what is other than was known is news, and nothing else") {
  Site site = connected(one_pool(3, 4), 3, 4);
  const uint32_t east = find_cluster(site.state, "east");
  const uint64_t session = site.agent("east").session;
  const auto news = [&](const std::vector<wire::HostFacts>& hosts) {
    return inventory_news(site.state, east, session, hosts);
  };
  std::vector<wire::HostFacts> hosts = site.agent("east").hosts;
  CHECK_FALSE(news(hosts));
  std::swap(hosts[0], hosts[2]);
  CHECK_FALSE(news(hosts));
  hosts[1].up = false;
  const InventoryChanged down = std::get<InventoryChanged>(news(hosts).value());
  CHECK(down.hosts == std::vector<wire::HostFacts>{hosts[1]});
  CHECK(down.gone.empty());
  REQUIRE(site.step(down));
  CHECK_FALSE(news(hosts));
  const std::string last = hosts.back().name;
  hosts.pop_back();
  const InventoryChanged gone = std::get<InventoryChanged>(news(hosts).value());
  CHECK(gone.hosts.empty());
  CHECK(gone.gone == std::vector<std::string>{last});
  REQUIRE(site.step(gone));
  CHECK_FALSE(news(hosts));  // the last one is known still, but not there
  for (wire::HostFacts& host : hosts) host.slots = 5;
  CHECK(std::get<InventoryReported>(news(hosts).value()).hosts == hosts);  // as short as any
}

TEST_CASE("an inventory told by its changes comes to what the whole of it comes to") {
  std::mt19937 random(7);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  Site whole = connected(one_pool(4, 4), 4, 4);
  Site parts = connected(one_pool(4, 4), 4, 4);
  const uint32_t east = find_cluster(whole.state, "east");
  int changes = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<wire::HostFacts> hosts;
    for (uint32_t h = 0; h < 6; ++h) {
      if (below(8) == 0) continue;
      wire::HostFacts facts;
      facts.name = "h" + std::to_string(h);
      facts.slots = static_cast<int32_t>(4 + below(10) / 9);
      facts.up = below(6) != 0;
      hosts.push_back(facts);
    }
    const auto news = inventory_news(parts.state, east, parts.agent("east").session, hosts);
    changes += news && std::holds_alternative<InventoryChanged>(*news) ? 1 : 0;
    if (news) {
      whole.step(InventoryReported{"east", whole.agent("east").session, hosts});
      parts.step(*news);
    }
    REQUIRE(hosts_of(whole) == hosts_of(parts));
    REQUIRE(whole.state.summaries == parts.state.summaries);
    REQUIRE(whole.history.size() == parts.history.size());
    CHECK(whole.history.back().numbers == parts.history.back().numbers);
  }
  CHECK(changes > 50);
}

TEST_CASE("a change of an inventory names hosts that nobody knows as gone, and nothing happens") {
  Site site = connected(one_pool(2, 4), 2, 4);
  const size_t known = site.state.clusters[find_cluster(site.state, "east")].hosts.size();
  site.step(InventoryChanged{"east", site.agent("east").session, {}, {"nowhere"}});
  CHECK(site.state.clusters[find_cluster(site.state, "east")].hosts.size() == known);
}

TEST_CASE("that a cluster is recorded later stands in the history") {
  Site site = connected(one_pool(2, 4), 2, 4);
  REQUIRE(site.step(RecordedLater{"east"}));
  CHECK(site.history.back().kind == RecordKind::alarm);
  CHECK(site.history.back().reason == Reason::over_rate);
  CHECK(site.history.back().cluster == find_cluster(site.state, "east"));
}

TEST_CASE(
    "that the readable tables fail, and follow again, stands in the history and changes no more") {
  Site site = connected(one_pool(2, 4), 2, 4);
  const auto marked = site.state.dirty_groups;
  REQUIRE(site.step(TablesFailed{false, "no room"}));
  CHECK(site.history.back().kind == RecordKind::alarm);
  CHECK(site.history.back().reason == Reason::tables_failed);
  REQUIRE(site.history.back().audit);
  CHECK(site.history.back().audit->object == "readable tables");
  CHECK(site.history.back().audit->why == "no room");
  CHECK(site.state.dirty_groups == marked);
  REQUIRE(site.step(TablesFailed{true, ""}));
  CHECK(site.history.back().reason == Reason::tables_followed);
  CHECK_FALSE(site.history.back().audit);
}

TEST_CASE("who exports no more and is owed slots still has its hosts followed") {
  Site site = borrowed();  // west holds 8 of h0 and uses 3
  site.step(ordered(Command::freeze));
  BrokerConfig config = site.state.config;
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  config.policies[0].provider = "north";
  site.load(config);
  site.run_until_idle();
  REQUIRE(site.phase(kPool) == "draining");
  REQUIRE(row_of(site, "west").limit == 8);
  Agent& east = site.agent("east");
  east.hosts[0].up = false;
  site.step(InventoryReported{"east", east.session, east.hosts});
  site.run_until_idle();
  CHECK(row_of(site, "west").limit == 3);  // no new work where the owner calls the host down
}

TEST_CASE("an inventory of who exports nothing opens a window that is due") {
  BrokerConfig config = one_pool(1, 4);
  Site site = connected(config, 1, 4);
  ResolvedWindows windows;
  windows.until = site.now + 10'000;
  windows.policies = {{"pool", {{site.now + 1'000, site.now + 5'000}}}};
  site.load(config, windows);
  site.run_until_idle();
  const auto opens = [&](int64_t after_ms) {
    site.now = site.now + after_ms;
    wire::HostFacts host;
    host.name = "w" + std::to_string(site.now.ms);
    site.step(InventoryReported{"west", site.agent("west").session, {host}});
    return site.state.policies[0].open;
  };
  CHECK_FALSE(opens(999));
  CHECK(opens(1));
  CHECK(site.phase(kPool) == "offered");
}
