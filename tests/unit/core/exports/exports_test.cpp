// Which slots a policy exports, and how a reload changes that: nothing is exported twice, nothing
// leaves a group that somebody else still holds.
#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using Names = std::vector<std::string>;

/// Hosts of the newest group of a lease with a target, by name.
Names exported_hosts(const Site& site, const std::string& lease = kPool) {
  Names names;
  const SlotGroup& group = site.group(lease);
  for (const HostLedger& row : group.hosts) {
    const Cluster& provider = site.state.clusters[group.members[kProvider].cluster];
    if (row.target > 0) names.push_back(provider.hosts[row.host].facts.name);
  }
  return names;
}

BrokerConfig chosen_pool() {
  BrokerConfig config = one_pool(0, 0);
  config.policies[0].select = "mem>=64000";
  config.policies[0].nhosts = 2;
  return config;
}

/// Four hosts of 4 slots; h0 is too small for chosen_pool().
Site with_chosen_hosts(const BrokerConfig& config) {
  Site site(config);
  site.add_hosts("east", 4, 4);
  for (size_t h = 1; h < 4; ++h) site.agent("east").hosts[h].mem_mb = 64'000;
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  return site;
}

void tell_inventory(Site& site) {
  site.step(InventoryReported{"east", site.agent("east").session, site.agent("east").hosts});
  site.run_until_idle();
}

}  // namespace

TEST_CASE("a requirement takes the first whole hosts that match") {
  Site site = with_chosen_hosts(chosen_pool());
  CHECK(exported_hosts(site) == Names{"h1", "h2"});
  CHECK(exported(site.group(kPool)) == 8);
}

TEST_CASE("hosts once chosen stay, unless reselect asks for a choice at each inventory") {
  BrokerConfig config = chosen_pool();
  config.policies[0].reselect = GENERATE(false, true);
  Site site = with_chosen_hosts(config);
  site.agent("east").hosts[0].mem_mb = 64'000;
  tell_inventory(site);
  const Names expected = config.policies[0].reselect ? Names{"h0", "h1"} : Names{"h1", "h2"};
  Names now = exported_hosts(site);
  std::sort(now.begin(), now.end());
  CHECK(now == expected);
}

TEST_CASE("a host that left the inventory is not chosen again") {
  BrokerConfig config = chosen_pool();
  config.policies[0].reselect = true;
  Site site = with_chosen_hosts(config);
  site.agent("east").hosts.erase(site.agent("east").hosts.begin() + 1);
  tell_inventory(site);
  CHECK(exported_hosts(site) == Names{"h2", "h3"});
}

TEST_CASE("a reload chooses hosts anew only when the choice itself was changed") {
  struct Row {
    const char* what;
    void (*change)(BrokerConfig&);
    Names hosts;
  };
  const Row row = GENERATE(values<Row>({
      {"the grace", [](BrokerConfig& to) { to.policies[0].reclaim_grace_ms = 5; }, {"h1", "h2"}},
      {"the requirement",
       [](BrokerConfig& to) { to.policies[0].select = "mem>=32000"; },
       {"h0", "h1"}},
      {"the number", [](BrokerConfig& to) { to.policies[0].nhosts = 3; }, {"h0", "h1", "h2"}},
      {"the shares",
       [](BrokerConfig& to) { to.policies[0].distribution.own()[0].shares = 7; },
       {"h0", "h1"}},
  }));
  INFO(row.what);
  Site site = with_chosen_hosts(chosen_pool());
  site.agent("east").hosts[0].mem_mb = 64'000;  // would come first if it were chosen today
  tell_inventory(site);
  REQUIRE(exported_hosts(site) == Names{"h1", "h2"});
  BrokerConfig changed = site.state.config;
  row.change(changed);
  site.load(changed);
  site.run_until_idle();
  Names now = exported_hosts(site);
  std::sort(now.begin(), now.end());
  CHECK(now == row.hosts);
}

TEST_CASE("a requirement that cannot be read exports nothing and takes nothing away at once") {
  Site site = with_chosen_hosts(chosen_pool());
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  BrokerConfig broken = site.state.config;
  broken.policies[0].select = "mem>>";
  site.load(broken);
  site.run_until_idle();
  CHECK(exported_hosts(site).empty());
  CHECK(site.held(kPool, kConsumer) == 1);
  CHECK(exported(site.group(kPool)) == 1);
}

TEST_CASE("another provider of a policy means other groups; the old one drains") {
  Site site(one_pool(1, 4));
  site.add_hosts("east", 1, 4);
  site.add_hosts("west", 1, 6);
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  BrokerConfig turned = site.state.config;
  turned.policies[0].provider = "west";
  turned.policies[0].slots_per_host = 6;
  turned.policies[0].distribution = {{"east", 1}};
  site.load(turned);
  site.run_until_idle();
  CHECK(site.phase("pool:east") == "offered");
  CHECK(site.held("pool:east", kProvider) == 5);
  CHECK(site.phase(kPool) == "draining");
  CHECK(site.held(kPool, kConsumer) == 1);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(find_lease(site.state, kPool) == kNoIndex);
}

TEST_CASE("a policy that moves to a third cluster is offered from there while the old one drains") {
  BrokerConfig config = one_pool(1, 4);
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  Site site = connected(config, 1, 4);
  site.add_hosts("north", 1, 4);
  site.hello("north");
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  const uint64_t old = site.group(kPool).generation;
  config.policies[0].provider = "north";
  site.load(config);
  site.run_until_idle();
  CHECK(site.group(kPool).generation != old);
  CHECK(site.phase(kPool) == "offered");
  CHECK(site.state.slot_groups[find_slot_group(site.state, old)].phase == Phase::draining);
}

TEST_CASE("a policy of a provider that nobody configured exports nothing") {
  BrokerConfig config = one_pool(1, 4);
  config.policies[0].provider = "south";
  Site site = connected(config, 1, 4);
  CHECK(site.state.slot_groups.empty());
}

TEST_CASE("reselect chooses by inventories, not by reloads") {
  BrokerConfig config = chosen_pool();
  config.policies[0].reselect = true;
  Site site = with_chosen_hosts(config);
  // The facts of a host change, and no inventory has brought them to the policies yet.
  site.state.clusters[find_cluster(site.state, "east")].hosts[0].facts.mem_mb = 64'000;
  site.load(config);
  CHECK(exported_hosts(site) == Names{"h1", "h2"});
}

TEST_CASE("a host added to a policy joins its group as a new row, the old ones stay") {
  BrokerConfig config = one_pool(1, 4);
  Site site = connected(config, 2, 4);
  config = site.state.config;
  config.policies[0].hosts = {"h1", "h0", "h9"};  // h9: nobody has it
  site.load(config);
  site.run_until_idle();
  CHECK(exported_hosts(site) == Names{"h0", "h1"});
  CHECK(exported(site.group(kPool)) == 8);
  CHECK(site.agent("west").groups.begin()->second.rows.size() == 2);
}

TEST_CASE("a reloaded delay moves the group to another grid") {
  Site site = made(8);
  BrokerConfig quick = site.state.config;
  for (ClusterConfig& cluster : quick.clusters) cluster.reclaim_delay_ms = 60'000;
  site.load(quick);
  site.run_until_idle();
  const Instant loaded = site.now;
  site.pass(60'000);
  CHECK(site.group(kPool).last_flip == loaded + 60'000);
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("each provider has its own delay, and equal ones share their instants") {
  BrokerConfig config = one_pool(1, 4);
  config.clusters.push_back({"north", "", 60'000, {}});
  ExportPolicy cold = config.policies[0];
  cold.name = "cold";
  cold.provider = "north";
  config.policies.push_back(cold);
  Site site(config);
  site.add_hosts("east", 1, 4);
  site.add_hosts("north", 1, 4);
  site.start();
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  REQUIRE(site.state.grids.size() == 2);
  for (const char* lease : {kPool, "cold:west"}) site.use("west", lease, 0, 1);
  site.run_until_idle();
  site.pass(60'000);
  CHECK(site.held("cold:west", kConsumer) == 4);
  CHECK(site.held(kPool, kConsumer) == 1);
}

TEST_CASE("a policy that goes before its consumer ever came is closed at once") {
  Site site(one_pool(1, 4));
  site.add_hosts("east", 1, 4);
  site.start();
  site.hello("east");
  site.run_until_idle();
  BrokerConfig without = site.state.config;
  without.policies.clear();
  site.load(without);
  CHECK(site.state.slot_groups[0].phase == Phase::closed);
  CHECK(site.count(RecordKind::group_closed) == 1);
  site.run_until_idle();
  site.pass(2 * kDelayMs);  // and no evaluation finds anything in it
  CHECK(site.enforced("east", 0) == 4);
  CHECK(site.count(RecordKind::evaluation) == 0);
}

TEST_CASE("a draining group is drained once, however often the configuration is loaded") {
  Site site = borrowed();
  BrokerConfig without = site.state.config;
  without.policies.clear();
  site.load(without);
  site.run_until_idle();
  site.load(without);
  site.run_until_idle();
  CHECK(site.count(RecordKind::group_draining) == 1);
  CHECK(site.held(kPool, kConsumer) == 3);
}

TEST_CASE("an export raised while the broker still listens is told once all were heard") {
  Site site = borrowed();
  BrokerConfig more = site.state.config;
  site.agent("east").hosts[0].slots = 12;
  site.restart_broker();
  more.policies[0].slots_per_host = 12;
  site.hello("east");
  site.load(more);
  site.run_until_idle();
  CHECK(site.group(kPool).quarantined);
  CHECK(exported(site.group(kPool)) == 12);
  CHECK(site.enforced("east", 0) <= 12);
  site.hello("west");
  site.run_until_idle();
  CHECK(site.held(kPool, kProvider) == 4);
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(site.enforced("east", 0) == 12);
}

TEST_CASE("slots that another group still drains are waited for across a restart") {
  Site site = borrowed();
  const BrokerConfig with = site.state.config;
  BrokerConfig without = with;
  without.policies.clear();
  site.load(without);
  site.run_until_idle();
  site.load(with);
  site.run_until_idle();
  CHECK(exported(site.group(kPool)) == 5);
  site.restart_broker();
  CHECK(site.state.groups_waiting == 1);
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  for (auto& [generation, group] : site.agent("west").groups) {
    if (generation == site.group(kPool).generation) continue;
    group.rows[0].used = group.rows[0].limit = 0;
  }
  site.run_until_idle();
  CHECK(exported(site.group(kPool)) == 8);
  CHECK(site.state.slot_groups[0].phase == Phase::closed);
}

TEST_CASE("after a restart a closed group is nobody's, and its successor is found") {
  Site site = borrowed();
  const BrokerConfig with = site.state.config;
  BrokerConfig without = with;
  without.policies.clear();
  site.load(without);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  REQUIRE(find_lease(site.state, kPool) == kNoIndex);
  site.load(with);
  site.run_until_idle();
  site.step(ordered(Command::freeze));
  site.step(ordered(Command::thaw));
  site.restart_broker();
  CHECK(site.state.slot_groups[0].phase == Phase::closed);
  CHECK_FALSE(site.state.slot_groups[0].quarantined);
  CHECK(find_lease(site.state, kPool) == 1);
  CHECK(find_slot_group(site.state, site.state.slot_groups[0].generation) == 0);
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 1);
}

TEST_CASE("nothing is given back or taken while everything is frozen, thawed it goes on") {
  Site site = borrowed();
  site.step(ordered(Command::freeze));
  BrokerConfig less = site.state.config;
  less.policies[0].slots_per_host = 4;
  site.load(less);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 8);
  site.step(ordered(Command::thaw));
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 4);
  CHECK(exported(site.group(kPool)) == 4);
}

TEST_CASE("groups loaded in another order than they were made are found by their generations") {
  Site site = borrowed();
  const BrokerConfig with = site.state.config;
  BrokerConfig without = with;
  without.policies.clear();
  site.load(without);
  site.run_until_idle();
  site.load(with);
  site.run_until_idle();
  std::swap(site.state.slot_groups[0], site.state.slot_groups[1]);
  site.restart_broker();
  for (uint32_t g = 0; g < 2; ++g) {
    CHECK(find_slot_group(site.state, site.state.slot_groups[g].generation) == g);
  }
}
