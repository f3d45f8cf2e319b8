#include "broker/views/heard.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// A refusal is news for this long, also when good messages came after it.
constexpr int64_t kRefusalShownMs = 10 * 60'000;

}  // namespace

const ClusterLiveness* known_of(const Liveness& liveness, const std::string& cluster) {
  const auto found = liveness.clusters.find(cluster);
  return found == liveness.clusters.end() ? nullptr : &found->second;
}

Instant last_heard(const Liveness& liveness, const std::string& cluster) {
  const ClusterLiveness* known = known_of(liveness, cluster);
  if (known == nullptr) return kNever;
  const Instant never{INT64_MIN};
  const Instant heard =
      std::max(known->last_heartbeat.value_or(never), known->last_report.value_or(never));
  return heard == never ? kNever : heard;
}

bool is_late(const State& state, Instant heard, Instant now) {
  return heard != kNever && now - heard >= state.config.agent_timeout_ms / 2;
}

bool shows_refusal(const ClusterLiveness* known, Instant now) {
  if (known == nullptr || !known->refused) return false;
  const bool newest = !known->last_report || known->refused->at > *known->last_report;
  return newest || now - known->refused->at < kRefusalShownMs;
}

}  // namespace leasehold
