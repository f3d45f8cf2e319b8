#include "broker/ports/agents/statements/idle_elsewhere.hpp"

#include <algorithm>
#include <functional>

#include "broker/core/lease/by_demand.hpp"

namespace leasehold {

namespace {

/// One host of the cluster: the slots that policies export, and those its own jobs use of them.
struct Exported {
  int64_t slots = 0;
  int64_t used = 0;
};

/// Replaces the use that the state knows by what the agent says now: the use of hosts is from the
/// same look, and one less the other is right only for one instant.
void take_stated(const State& state, uint32_t cluster, const wire::StateBlock& stated,
                 std::vector<Exported>& hosts) {
  for (const wire::GroupState& said : stated.groups) {
    const uint32_t index = find_slot_group(state, said.generation);
    if (index == kNoIndex) continue;
    const SlotGroup& group = state.slot_groups[index];
    if (group.phase == Phase::closed || group.members[kProvider].cluster != cluster) continue;
    for (const wire::HostState& row : stated.hosts_of(said)) {
      if (row.host >= group.hosts.size()) continue;
      hosts[group.hosts[row.host].host].used += row.used - group.at(row.host, kProvider).used;
    }
  }
}

std::vector<Exported> exported_of(const State& state, uint32_t cluster,
                                  const wire::StateBlock& stated) {
  std::vector<Exported> hosts(state.clusters[cluster].hosts.size());
  for (const uint32_t index : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[index];
    if (group.phase == Phase::closed || group.members[kProvider].cluster != cluster) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      Exported& host = hosts[group.hosts[row].host];
      host.slots += group.hosts[row].exported;
      host.used += group.at(row, kProvider).used;
    }
  }
  take_stated(state, cluster, stated, hosts);
  return hosts;
}

}  // namespace

bool any_by_demand(const State& state, uint32_t index) {
  const std::vector<uint32_t>& groups = state.clusters[index].slot_groups;
  return std::any_of(groups.begin(), groups.end(), [&](uint32_t group) {
    return goes_by_demand(state, state.slot_groups[group]);
  });
}

namespace {

/// Calls `see(host, exported slots, idle slots that are not exported)` for each with any idle.
template <class See>
void each_idle(const State& state, uint32_t index, const ClusterLiveness& live,
               const wire::StateBlock& stated, const See& see) {
  const Cluster& cluster = state.clusters[index];
  const std::vector<Exported> exported = exported_of(state, index, stated);
  for (size_t h = 0; h < cluster.hosts.size(); ++h) {
    const Host& host = cluster.hosts[h];
    const auto used = live.used_by_host.find(host.facts.name);
    if (!host.present || !host.facts.up || used == live.used_by_host.end()) continue;
    const int64_t own_used = std::max<int64_t>(0, used->second - exported[h].used);
    const int64_t slots = host.facts.slots - exported[h].slots - own_used;
    if (slots > 0) see(static_cast<uint32_t>(h), exported[h].slots, static_cast<int32_t>(slots));
  }
}

}  // namespace

std::vector<int32_t> idle_elsewhere(const State& state, uint32_t index, const ClusterLiveness& live,
                                    const wire::StateBlock& stated) {
  std::vector<int32_t> idle;
  each_idle(state, index, live, stated,
            [&idle](uint32_t, int64_t, int32_t slots) { idle.push_back(slots); });
  std::sort(idle.begin(), idle.end(), std::greater<>());
  if (idle.size() > kIdleHostsMost) idle.resize(kIdleHostsMost);
  return idle;
}

IdleBeside idle_beside(const State& state, uint32_t index, const ClusterLiveness& live,
                       const wire::StateBlock& stated) {
  IdleBeside idle;
  each_idle(state, index, live, stated, [&idle](uint32_t host, int64_t exported, int32_t slots) {
    if (exported > 0 && idle.size() < kIdleHostsMost) idle.emplace_back(host, slots);
  });
  return idle;
}

}  // namespace leasehold
