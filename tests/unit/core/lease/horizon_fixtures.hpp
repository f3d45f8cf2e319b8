// Leases whose hosts close before something begins or ends: what is lent, and the limits of work.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/core/fixtures.hpp"

namespace leasehold::test {

inline constexpr int64_t kHourMs = 3'600'000;
using Slots = std::vector<int32_t>;

/// The longest limit of the cluster's work.
inline void limited(Site& site, const std::string& cluster, int64_t longest_ms) {
  StateReported report;
  report.cluster = cluster;
  report.session = site.agent(cluster).session;
  report.pending = site.agent(cluster).pending;
  report.ending = wire::Ending{{}, -1, longest_ms};
  site.step(report);
  site.run_until_idle();
}

/// Returns what west holds of each host of the pool.
inline Slots lent(const Site& site) {
  Slots held;
  const SlotGroup& group = site.group(kPool);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    held.push_back(group.at(row, kConsumer).held);
  }
  return held;
}

}  // namespace leasehold::test
