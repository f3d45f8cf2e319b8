#include "broker/views/clusters/contact.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// A refusal is shown for this long, even if good messages came after it.
constexpr int64_t kRefusalShownMs = 10 * 60'000;

}  // namespace

const ClusterLiveness* known_of(const Liveness& liveness, const std::string& cluster) {
  const auto found = liveness.clusters.find(cluster);
  return found == liveness.clusters.end() ? nullptr : &found->second;
}

Instant last_contact(const Liveness& liveness, const std::string& cluster) {
  const ClusterLiveness* known = known_of(liveness, cluster);
  if (known == nullptr) return kNever;
  const Instant never{INT64_MIN};
  const Instant contact_at =
      std::max(known->last_heartbeat.value_or(never), known->last_report.value_or(never));
  return contact_at == never ? kNever : contact_at;
}

bool has_no_contact(const State& state) {
  return std::none_of(state.clusters.begin(), state.clusters.end(), [](const Cluster& cluster) {
    return cluster.configured && cluster.contact == Contact::ok;
  });
}

bool may_advise_forget(const State& state, const Liveness& liveness, const std::string& cluster) {
  return !liveness.leader_view.nobody && !has_no_contact(state) &&
         contact_elsewhere(liveness.leader_view, cluster).empty();
}

std::string remedy_of_silence(const State& state, const Liveness& liveness, const Cluster& cluster,
                              bool holds) {
  const std::string elsewhere = contact_elsewhere(liveness.leader_view, cluster.name);
  if (!elsewhere.empty()) {
    return "the agent of " + cluster.name + " is connected to the broker '" + elsewhere + "'" +
           ": look at the network between that agent and this broker";
  }
  const std::string start = "start the agent of " + cluster.name;
  if (has_no_contact(state)) {
    return "no agent at all is connected: look at the network of this broker's machine first; "
           "then " +
           start;
  }
  if (!holds || !may_advise_forget(state, liveness, cluster.name)) return start;
  return start + "; if it surely uses none of its leased slots: leasectl forget " + cluster.name;
}

bool is_late(const State& state, Instant contact_at, Instant now) {
  return contact_at != kNever && now - contact_at >= state.config.agent_timeout_ms / 2;
}

void forget_contacts(Liveness& liveness) {
  for (auto& [name, known] : liveness.clusters) {
    known.last_report.reset();
    known.last_heartbeat.reset();
    known.refused.reset();
    known.late_since.reset();
    known.waits_since.reset();
    known.clock_off.reset();
    known.used_by_host.clear();
  }
}

bool shows_refusal(const ClusterLiveness* known, Instant now) {
  if (known == nullptr || !known->refused) return false;
  const bool newest = !known->last_report || known->refused->at > *known->last_report;
  return newest || now - known->refused->at < kRefusalShownMs;
}

}  // namespace leasehold
