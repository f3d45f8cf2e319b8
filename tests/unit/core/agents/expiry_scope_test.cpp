// Some leases end by themselves; those of providers, clusters without slots and observers do not.
#include <catch2/catch.hpp>

#include "broker/core/agents/configuration.hpp"
#include "broker/core/agents/expiry.hpp"
#include "broker/core/agents/lease_bounds.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kTtl = 600'000;
constexpr int64_t kLongMs = 10 * kTtl;

BrokerConfig with_ttl() {
  BrokerConfig config = one_pool(1, 4);
  config.lease_ttl_ms = kTtl;
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  for (ClusterConfig& cluster : config.clusters) cluster.reclaim_delay_ms = 100'000'000;
  return config;
}

/// All agents end leases by themselves; west uses its first slot.
Site leased(BrokerConfig config = with_ttl()) {
  Site site(std::move(config));
  site.add_hosts("east", 1, 4);
  site.start();
  for (auto& [name, agent] : site.agents) {
    agent.self_expiring = true;
    site.hello(name);
  }
  site.run_until_idle();
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  return site;
}

int count(const Site& site, RecordKind kind, Reason reason) {
  return static_cast<int>(
      std::count_if(site.history.begin(), site.history.end(),
                    [&](const Record& row) { return row.kind == kind && row.reason == reason; }));
}

int alarms(const Site& site) {
  return count(site, RecordKind::alarm, Reason::not_self_expiring);
}

int expired(const Site& site) {
  return count(site, RecordKind::lease_expired, Reason::lease_expired);
}

const Cluster& cluster(const Site& site, const char* name) {
  return site.state.clusters[find_cluster(site.state, name)];
}

}  // namespace

TEST_CASE("a provider's exports are no leases of its own: its time runs and nothing returns") {
  Site site = leased();
  CHECK(cluster(site, "east").lease_bound_ms == kTtl);  // no grace: it has no lease
  site.lose("east");
  REQUIRE(cluster(site, "east").expires_at != kNever);
  site.pass(kLongMs);
  CHECK(expired(site) == 0);
  CHECK(exported(site.group(kPool)) == 4);
  CHECK(site.held(kPool, kProvider) == 3);
  CHECK(alarms(site) == 0);
}

TEST_CASE("a consumer that holds nothing has nothing that could return") {
  Site site = leased();
  site.use("west", kPool, 0, 0);
  site.step(ordered(Command::close, "east", "h0"));
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 0);
  site.lose("west");
  site.pass(kLongMs);
  CHECK(expired(site) == 0);
}

TEST_CASE("a consumer that the broker has heard since its start is judged by what it holds") {
  Site site = leased();
  site.use("west", kPool, 0, 0);
  site.step(ordered(Command::close, "east", "h0"));
  site.run_until_idle();
  site.restart_broker();
  site.hello("west");
  site.lose("west");
  REQUIRE(site.group(kPool).quarantined);
  site.pass(kLongMs);
  CHECK(expired(site) == 0);
}

TEST_CASE("a cluster without any lease that is lost is no alarm and returns nothing") {
  Site site = leased();
  site.agent("north").self_expiring = false;
  site.hello("north");
  site.lose("north");
  CHECK(alarms(site) == 0);
  CHECK(site.step(ordered(Command::forget, "north")));
  CHECK(site.held(kPool, kConsumer) == 1);
}

TEST_CASE("observing, no cluster is told a ttl and no silent one is alarming") {
  BrokerConfig config = with_ttl();
  config.mode = Mode::observe;
  Site site(config);
  site.add_hosts("east", 1, 4);
  site.agent("west").self_expiring = true;
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  CHECK(configuration_for(site.state, find_cluster(site.state, "west")).lease_ttl_ms == 0);
  site.lose("west");
  CHECK(alarms(site) == 0);
}

TEST_CASE("an agent that was told no ttl cannot state one") {
  Cluster unconfigured;
  CHECK(bound_stated(unconfigured, 5'000) == 0);
  unconfigured.configured_lease_ms = 7'000;
  CHECK(bound_stated(unconfigured, 5'000) == 7'000);
  CHECK(bound_stated(unconfigured, 9'000) == 9'000);
  CHECK(bound_stated(unconfigured, 0) == 0);
}

TEST_CASE("who comes back keeps his leases while those of others still return") {
  BrokerConfig config = with_ttl();
  const ExportPolicy pool = config.policies[0];
  config.policies.clear();
  constexpr int kPolicies = static_cast<int>(kReturnsPerStep) + 2;
  for (int p = 0; p < kPolicies; ++p) {
    config.policies.push_back(pool);
    config.policies.back().name = "pool" + std::to_string(p);
    config.policies.back().hosts = {"h" + std::to_string(p)};
    if (p >= kPolicies - 2) config.policies.back().distribution = {{"north", 1}};
  }
  Site site(config);
  site.add_hosts("east", kPolicies, 4);
  site.start();
  for (auto& [name, agent] : site.agents) {
    agent.self_expiring = true;
    site.hello(name);
  }
  site.run_until_idle();
  site.lose("west");
  site.lose("north");
  site.now = std::max(cluster(site, "west").expires_at, cluster(site, "north").expires_at);
  site.step(Tick{});  // west's return in this step, north's two wait for the next
  REQUIRE(site.state.returning.size() == kPolicies);
  SECTION("one that is done already changes nothing for the others") {
    site.hello("west");
    CHECK(site.state.returning.size() == kPolicies);
  }
  SECTION("one whose turn has not come keeps all") {
    site.hello("north");
    CHECK(site.state.returning.empty());
    CHECK(site.held("pool" + std::to_string(kPolicies - 1) + ":north", kConsumer) == 1);
    CHECK(site.held("pool0:west", kConsumer) == 0);
  }
  SECTION("a group that closed before its turn has nothing to return") {
    BrokerConfig without_north = site.state.config;
    without_north.policies.resize(kReturnsPerStep);
    site.load(without_north);
    CHECK(site.step(ordered(Command::forget, "north")));  // both are to return twice now
    CHECK(site.count(RecordKind::group_closed) == 2);
    CHECK(site.state.returning.empty());
  }
}
