// Sites with leases that end by themselves, as the tests of expiry need them.
#pragma once

#include <catch2/catch.hpp>

#include "broker/core/agents/expiry.hpp"
#include "tests/support/site.hpp"

namespace leasehold::test {

constexpr const char* kLease = "pool:west";
constexpr int64_t kTtl = 600'000;
constexpr int64_t kGrace = 30'000;
constexpr int64_t kLeeway = 120'000;
constexpr int64_t kAfter = kTtl + kGrace + kLeeway + 7'500;  // and 1 %

inline BrokerConfig with_ttl(int64_t ttl_ms = kTtl) {
  BrokerConfig config = one_pool(1, 4);
  config.lease_ttl_ms = ttl_ms;
  config.reclaim_delay_ms = 100'000'000;  // no evaluation comes in between
  for (ClusterConfig& cluster : config.clusters) cluster.reclaim_delay_ms = 100'000'000;
  config.policies[0].reclaim_grace_ms = kGrace;
  config.policies[0].initial_slots = 2;
  return config;
}

/// West uses one of the two slots that it leases.
inline Site leased(bool self_expiring = true, BrokerConfig config = with_ttl()) {
  Site site(std::move(config));
  site.add_hosts("east", 1, 4);
  site.agent("west").self_expiring = self_expiring;
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.use("west", kLease, 0, 1);
  site.run_until_idle();
  REQUIRE(site.held(kLease, kConsumer) == 2);
  return site;
}

inline const Cluster& west(const Site& site) {
  return site.state.clusters[find_cluster(site.state, "west")];
}

inline void tick_at(Site& site, Instant at) {
  site.now = at;
  site.step(Tick{});
}

inline int alarms(const Site& site, Reason reason) {
  return static_cast<int>(
      std::count_if(site.history.begin(), site.history.end(), [reason](const Record& row) {
        return row.kind == RecordKind::alarm && row.reason == reason;
      }));
}

}  // namespace leasehold::test
