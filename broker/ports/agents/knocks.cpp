#include "broker/ports/agents/knocks.hpp"

#include "broker/views/whose_clock.hpp"
#include "common/key.hpp"

namespace leasehold {

namespace {

std::string said_cluster(const wire::Message& message) {
  if (const auto* hello = std::get_if<wire::Hello>(&message)) return hello->cluster;
  const auto* word = std::get_if<wire::Heartbeat>(&message);
  return word != nullptr ? word->cluster.value_or("") : "";
}

}  // namespace

void Knocks::know(const std::vector<ClusterConfig>& clusters) {
  keys_.clear();
  for (const ClusterConfig& cluster : clusters) keys_[cluster.name] = cluster.public_key;
  std::erase_if(knocks_, [this](const auto& one) {
    return !one.first.empty() && !keys_.contains(one.first);
  });
}

std::string Knocks::whose(const wire::Message& message, const std::string& key) const {
  const std::string said = said_cluster(message);
  for (const auto& [cluster, own] : keys_) {
    const bool may = key.empty() ? cluster == said : holds_key(own, key);
    if (may && (said.empty() || said == cluster)) return cluster;
  }
  return "";
}

/// Its clock where it told by when it had heard this broker: a message alone may be old.
void Knocks::came(const wire::Message& message, const std::string& key, int64_t came_ms,
                  int64_t boottime_ms) {
  const std::string cluster = whose(message, key);
  Knock& knock = knocks_[cluster];
  knock.at_ms = boottime_ms;
  const auto* word = std::get_if<wire::Heartbeat>(&message);
  if (cluster.empty() || word == nullptr || !word->clock) return;
  knock.clock.heard(*word->clock, came_ms);
  knock.clock_at_ms = boottime_ms;
}

int64_t Knocks::count(int64_t boottime_ms) const {
  int64_t named = 0, all = 0;
  for (const auto& [cluster, knock] : knocks_) {
    if (boottime_ms - knock.at_ms > kCountMs) continue;
    ++all;
    named += cluster.empty() ? 0 : 1;
  }
  return named > 0 ? named : all;
}

std::vector<std::string> Knocks::clusters(int64_t boottime_ms) const {
  std::vector<std::string> names;
  for (const auto& [cluster, knock] : knocks_) {
    if (!cluster.empty() && boottime_ms - knock.at_ms <= kCountMs) names.push_back(cluster);
  }
  return names;
}

std::optional<ClockDifference> Knocks::clocks(int64_t boottime_ms) const {
  std::vector<ClockDifference> told;
  for (const auto& [cluster, knock] : knocks_) {
    const bool counts = boottime_ms - knock.clock_at_ms <= kCountMs && knock.clock.told();
    if (counts) told.push_back(*knock.clock.told());
  }
  return median(told);
}

}  // namespace leasehold
