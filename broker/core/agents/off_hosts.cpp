#include "broker/core/agents/off_hosts.hpp"

#include <algorithm>
#include <set>

#include "broker/core/lease/asleep.hpp"
#include "broker/core/model/hosts.hpp"
#include "broker/core/plan/asleep.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

/// Groups whose hosts are the cluster's.
template <class See>
void each_provided(const State& state, uint32_t cluster, const See& see) {
  for (const uint32_t g : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.members[kProvider].cluster == cluster && group.phase != Phase::closed) see(group);
  }
}

using Positions = std::set<uint32_t>;  // in Cluster::hosts

Positions to_wake(const State& state, uint32_t cluster) {
  Positions hosts;
  if (LEASEHOLD_CANARY(never_wakes)) return hosts;
  std::set<uint32_t> plans;
  each_provided(state, cluster, [&](const SlotGroup& group) {
    if (group.resource_group != kNoIndex) {
      plans.insert(group.resource_group);
      return;
    }
    if (hosts.size() >= kOffHostsMost) return;
    for (const uint32_t row : rows_to_wake(state, group)) hosts.insert(group.hosts[row].host);
  });
  for (const uint32_t plan : plans) {
    for (const RowRef& at : plan_rows_to_wake(state, plan)) {
      const SlotGroup& group = state.slot_groups[at.group];
      if (group.members[kProvider].cluster == cluster) hosts.insert(group.hosts[at.row].host);
    }
  }
  return hosts;
}

/// Another member has, or may have, something in use on the row: it has not said otherwise under
/// its last order.
bool may_be_used(const State& state, const SlotGroup& group, uint32_t row) {
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (group.members[m].cluster == group.members[kProvider].cluster) continue;
    const Holding& holding = group.at(row, m);
    if (!current(state, group, m) || holding.stated > 0 || holding.used > 0) return true;
  }
  return false;
}

Positions unused(const State& state, uint32_t cluster) {
  Positions hosts;
  Positions used;
  each_provided(state, cluster, [&](const SlotGroup& group) {
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const Host& host = host_of(state, group, row);
      if (!host.present || host.facts.up) continue;
      if (sleeps(state, group, row) || wakes(state, group, row)) continue;  // nothing holds it on
      Positions& of = group.quarantined || may_be_used(state, group, row) ? used : hosts;
      of.insert(group.hosts[row].host);
    }
  });
  for (const uint32_t host : used) hosts.erase(host);
  return hosts;
}

std::vector<std::string> names_of(const Cluster& cluster, const Positions& hosts) {
  std::vector<std::string> names;
  for (const uint32_t host : hosts) {
    if (names.size() == kOffHostsMost) break;
    names.push_back(cluster.hosts[host].facts.name);
  }
  return names;
}

}  // namespace

OffHosts off_hosts(const State& state, uint32_t index) {
  const Cluster& cluster = state.clusters[index];
  const bool any_off = std::any_of(cluster.hosts.begin(), cluster.hosts.end(),
                                   [](const Host& host) { return host.present && !host.facts.up; });
  if (!any_off) return {};
  return {names_of(cluster, to_wake(state, index)), names_of(cluster, unused(state, index))};
}

}  // namespace leasehold
