// Scenes of leases that go by demand: one pool, and what agents tell of work that waits.
#pragma once

#include <string>
#include <utility>

#include "tests/unit/core/fixtures.hpp"

namespace leasehold::test {

inline BrokerConfig by_demand(int hosts, int32_t slots) {
  BrokerConfig config = one_pool(hosts, slots);
  config.policies.front().rule = RuleKind::demand_aware;
  return config;
}

/// One host of 8; the lease is made: west runs on its first slot, the rest is east's and idle.
inline Site made_by_demand(BrokerConfig config = by_demand(1, 8)) {
  Site site = connected(std::move(config), 1, 8);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  return site;
}

/// The cluster's agent tells what waits.
inline void tell(Site& site, const std::string& cluster, const wire::Demand& demand) {
  StateReported report;
  report.cluster = cluster;
  report.session = site.agent(cluster).session;
  for (const wire::DemandBucket& bucket : demand) report.pending += bucket.slots;
  site.agent(cluster).pending = report.pending;
  report.demand = demand;
  site.step(report);
  site.run_until_idle();
}

/// The cluster's agent tells that so many jobs of so many slots each wait.
inline void waits(Site& site, const std::string& cluster, int64_t slots, int64_t jobs,
                  int32_t on_host = 1, bool whole = false, const std::string& type = "") {
  wire::DemandBucket bucket;
  bucket.slots_per_host = on_host;
  bucket.jobs = jobs;
  bucket.slots = slots * jobs;
  bucket.whole = whole;
  if (!type.empty()) bucket.host_types = {type};
  tell(site, cluster, jobs > 0 ? wire::Demand{bucket} : wire::Demand{});
}

inline std::pair<int32_t, int32_t> held(const Site& site) {
  return {site.held(kPool, kProvider), site.held(kPool, kConsumer)};
}

}  // namespace leasehold::test
