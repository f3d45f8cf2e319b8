#include "broker/core/model/turn/derive.hpp"

#include <algorithm>
#include <unordered_map>

#include "broker/core/model/queries/horizons.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/orders_in_force.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/model/turn/lease_dues.hpp"

namespace leasehold {

void forget_summaries(State& state) {
  state.summaries.clear();
  state.stale_summaries.clear();
}

void add_summaries(State& state) {
  state.summaries.reserve(state.slot_groups.capacity());
  state.summaries.resize(state.slot_groups.size());
}

Totals totals_of(const State& state, const SlotGroup& group) {
  Totals sum;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (!common_up(group, row) || consumer_cap(state, group, row) == 0) continue;
    const bool whole = moves_whole(state, group, row);
    const int32_t exported = group.hosts[row].exported;
    const auto used = [whole, exported](const Holding& holding) {
      // The other side has no use for the rest of a host that is in use.
      if (whole && (holding.used > 0 || holding.held < exported)) return holding.held;
      return std::min(holding.used, holding.held);
    };
    const Holding& provider = group.at(row, kProvider);
    const Holding& consumer = group.at(row, kConsumer);
    sum.provider_available += provider.held;
    sum.provider_used += used(provider);
    sum.consumer_available += consumer.held;
    sum.consumer_used += used(consumer);
  }
  return sum;
}

uint32_t add_cluster(State& state, const std::string& name) {
  const auto index = static_cast<uint32_t>(state.clusters.size());
  Cluster cluster;
  cluster.name = name;
  state.clusters.push_back(std::move(cluster));
  state.cluster_index.emplace(name, index);
  return index;
}

namespace {

void index_group(State& state, uint32_t index) {
  const SlotGroup& group = state.slot_groups[index];
  const uint64_t position = group.generation - state.generation_base;
  const size_t known = state.groups_by_generation.size();
  // Generations leap forward at each start: what lies beyond a leap is searched for
  // (find_slot_group).
  constexpr uint64_t kGapMost = 4096;
  if (position >= known && position < known + kGapMost) {
    state.groups_by_generation.resize(position + 1, kNoIndex);
  }
  if (position < state.groups_by_generation.size()) state.groups_by_generation[position] = index;
  if (group.phase == Phase::closed) return;
  for (const Member& member : group.members) {
    state.clusters[member.cluster].slot_groups.push_back(index);
  }
}

void index_names(State& state) {
  state.cluster_index.clear();
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    state.cluster_index.emplace(state.clusters[c].name, c);
    state.clusters[c].slot_groups.clear();
  }
  state.policy_index.clear();
  for (uint32_t p = 0; p < state.policies.size(); ++p) {
    state.policy_index[state.policies[p].config.name] = p;
  }
}

size_t hash_of(const Shares& shares) {
  size_t hash = shares.size();
  for (const Share& share : shares) {
    hash = hash * 31 + std::hash<std::string>()(share.cluster) + static_cast<size_t>(share.shares);
  }
  return hash;
}

bool waits(const SlotGroup& group) {
  return std::any_of(group.hosts.begin(), group.hosts.end(),
                     [](const HostLedger& host) { return host.exported < host.target; });
}

}  // namespace

void share_equal_lists(BrokerConfig& config) {
  std::unordered_multimap<size_t, const Shares*> known;
  for (ExportPolicy& policy : config.policies) {
    const size_t hash = hash_of(policy.distribution);
    const auto [first, last] = known.equal_range(hash);
    const auto same = std::find_if(
        first, last, [&](const auto& entry) { return *entry.second == policy.distribution; });
    if (same == last) {
      known.emplace(hash, &policy.distribution);
    } else {
      policy.distribution.share_with(*same->second);
    }
  }
}

void make_room(State& state, size_t groups) {
  if (groups <= state.slot_groups.capacity()) return;
  state.slot_groups.reserve(std::max(groups, state.slot_groups.size() / 8 * 9));
  state.groups_by_generation.reserve(state.slot_groups.capacity());
}

uint32_t add_group(State& state, SlotGroup group) {
  const auto index = static_cast<uint32_t>(state.slot_groups.size());
  if (state.groups_by_generation.empty()) state.generation_base = group.generation;
  make_room(state, state.slot_groups.size() + 1);
  state.slot_groups.push_back(std::move(group));
  index_group(state, index);
  return index;
}

namespace {

/// The policies repeat the configuration, and most of it is shares. Lists read from the log are
/// separate copies, so equal ones are shared here.
void share_lists(State& state) {
  for (const ExportPolicy& configured : state.config.policies) {
    const uint32_t policy = find_policy(state, configured.name);
    if (policy == kNoIndex) continue;
    state.policies[policy].config.distribution.share_with(configured.distribution);
  }
}

/// Adds the dues of leases' consumers to the state of an older core, which kept none.
void add_lease_dues(State& state) {
  for (SlotGroup& group : state.slot_groups) bound_dues(group);
}

/// Orders of a database that did not know who gave them.
void name_orders(State& state) {
  for (Cluster& cluster : state.clusters) {
    for (Host& host : cluster.hosts) host.closed_for_orders.resize(host.closed_for.size());
  }
}

}  // namespace

void derive(State& state) {
  name_orders(state);
  add_lease_dues(state);
  index_names(state);
  share_lists(state);
  state.groups_by_generation.clear();
  state.groups_by_generation.reserve(state.slot_groups.size());
  forget_summaries(state);
  state.generation_base = state.generation_next;
  for (const SlotGroup& group : state.slot_groups) {
    state.generation_base = std::min(state.generation_base, group.generation);
  }
  state.groups_waiting = 0;
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    index_group(state, g);
    state.groups_waiting += waits(state.slot_groups[g]) ? 1 : 0;
  }
  for (Grid& grid : state.grids) grid.changed.clear();
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.phase != Phase::closed) state.grids[group.grid].changed.insert(g);
  }
  derive_plans(state);
  for (ResourceGroupLedger& plan : state.resource_groups) plan.evaluate_flag = true;
  derive_deadlines(state);
  state.operator_order_next = next_order_instant(state);
  for (Cluster& cluster : state.clusters) cluster.has_horizons = any_horizon(cluster);
  state.horizon_next = next_horizon(state);
}

}  // namespace leasehold
