#include "broker/ports/agents/contacts.hpp"

#include "broker/views/clusters/whose_clock.hpp"
#include "common/key.hpp"

namespace leasehold {

namespace {

std::string named_cluster(const wire::Message& message) {
  if (const auto* hello = std::get_if<wire::Hello>(&message)) return hello->cluster;
  const auto* word = std::get_if<wire::Heartbeat>(&message);
  return word != nullptr ? word->cluster.value_or("") : "";
}

}  // namespace

void Contacts::know(const std::vector<ClusterConfig>& clusters) {
  keys_.clear();
  for (const ClusterConfig& cluster : clusters) keys_[cluster.name] = cluster.public_key;
  std::erase_if(contacts_, [this](const auto& one) {
    return !one.first.empty() && !keys_.contains(one.first);
  });
}

std::string Contacts::cluster_of(const wire::Message& message, const std::string& key) const {
  const std::string named = named_cluster(message);
  for (const auto& [cluster, own] : keys_) {
    const bool may = key.empty() ? cluster == named : holds_key(own, key);
    if (may && (named.empty() || named == cluster)) return cluster;
  }
  return "";
}

/// Takes the clock only where the agent states when this broker spoke: a message alone may be
/// old.
void Contacts::note(const wire::Message& message, const std::string& key, int64_t came_ms,
                    int64_t boottime_ms) {
  const std::string cluster = cluster_of(message, key);
  Seen& seen = contacts_[cluster];
  seen.at_ms = boottime_ms;
  const auto* word = std::get_if<wire::Heartbeat>(&message);
  if (cluster.empty() || word == nullptr || !word->clock) return;
  seen.clock.take_reading(*word->clock, came_ms);
  seen.clock_at_ms = boottime_ms;
}

int64_t Contacts::count(int64_t boottime_ms) const {
  int64_t named = 0, all = 0;
  for (const auto& [cluster, seen] : contacts_) {
    if (boottime_ms - seen.at_ms > kCountMs) continue;
    ++all;
    named += cluster.empty() ? 0 : 1;
  }
  return named > 0 ? named : all;
}

std::vector<std::string> Contacts::clusters(int64_t boottime_ms) const {
  std::vector<std::string> names;
  for (const auto& [cluster, seen] : contacts_) {
    if (!cluster.empty() && boottime_ms - seen.at_ms <= kCountMs) names.push_back(cluster);
  }
  return names;
}

std::optional<ClockDifference> Contacts::clocks(int64_t boottime_ms) const {
  std::vector<ClockDifference> clocks;
  for (const auto& [cluster, seen] : contacts_) {
    const bool counts = boottime_ms - seen.clock_at_ms <= kCountMs && seen.clock.difference();
    if (counts) clocks.push_back(*seen.clock.difference());
  }
  return median(clocks);
}

}  // namespace leasehold
