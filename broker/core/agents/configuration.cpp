#include "broker/core/agents/configuration.hpp"

#include <algorithm>

#include "broker/core/agents/lease_bounds.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/rules/distribution.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

/// Returns the other side of a lease; of a plan its provider has all members on the other side: the
/// group.
std::string peer_of(const State& state, const SlotGroup& group, bool provider) {
  if (!provider) return state.clusters[group.members[kProvider].cluster].name;
  return group.resource_group == kNoIndex ? state.clusters[group.members[kConsumer].cluster].name
                                          : state.resource_groups[group.resource_group].name;
}

/// True if slots of the row that the member has are on their way back to the provider's own.
bool is_draining(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  if (group.resource_group == kNoIndex) return row_drains(state, group, kConsumer, row);
  return member == kProvider ? goes_home(group, row) : row_drains(state, group, member, row);
}

wire::ConfiguredGroup configured_group(const State& state, const SlotGroup& group,
                                       uint32_t cluster) {
  const PolicyState& policy = state.policies[group.policy];
  const size_t member = member_of(group, cluster);
  const bool provider = member == kProvider;
  wire::ConfiguredGroup out;
  out.generation = group.generation;
  out.lease = lease_id(state, group, provider ? kNoIndex : member_of(group, cluster));
  out.role = provider ? wire::Role::provider : wire::Role::consumer;
  out.peer = peer_of(state, group, provider);
  out.shared = policy.config.type == LeaseType::shared;
  out.draining = group.phase == Phase::draining;
  out.mem_mb = policy.config.mem_mb;
  out.swap_mb = policy.config.swap_mb;
  out.grace_ms = reclaim_grace(state, group).most_ms;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    out.hosts.push_back({host_of(state, group, row).facts.name, group.hosts[row].exported,
                         is_draining(state, group, member, row)});
  }
  return out;
}

/// Declaration order of policies in the configuration in force; groups of none come last.
std::vector<size_t> declared_positions(const State& state) {
  std::vector<size_t> position(state.policies.size(), state.config.policies.size());
  for (size_t p = 0; p < state.config.policies.size(); ++p) {
    const uint32_t index = find_policy(state, state.config.policies[p].name);
    LEASEHOLD_CHECK(index != kNoIndex, "a policy is taken over before agents get it");
    position[index] = p;
  }
  return position;
}

void add_resources(const State& state, const std::string& cluster, wire::Configuration& out) {
  for (const SharedResource& resource : state.config.resources) {
    std::vector<int64_t> shares;
    for (const Share& share : resource.distribution) shares.push_back(share.shares);
    const std::vector<int64_t> parts = split(resource.instances, shares);
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::string& consumer = resource.distribution[i].cluster;
      if (resource.provider == cluster) {
        out.resources.push_back({resource.name, wire::Role::provider, consumer, parts[i]});
      } else if (consumer == cluster) {
        out.resources.push_back({resource.name, wire::Role::consumer, resource.provider, parts[i]});
      }
    }
  }
}

}  // namespace

wire::Configuration configuration_for(const State& state, uint32_t cluster) {
  wire::Configuration out;
  out.session = state.clusters[cluster].session;
  out.number = state.clusters[cluster].configuration;
  out.observe = state.config.mode == Mode::observe;
  out.agent_timeout_ms = state.config.agent_timeout_ms;
  out.lease_ttl_ms = configured_ttl_ms(state, state.clusters[cluster]);
  std::vector<uint32_t> groups = state.clusters[cluster].slot_groups;
  const std::vector<size_t> position = declared_positions(state);
  std::stable_sort(groups.begin(), groups.end(), [&](uint32_t a, uint32_t b) {
    const bool a_drains = state.slot_groups[a].phase == Phase::draining;
    const bool b_drains = state.slot_groups[b].phase == Phase::draining;
    if (a_drains != b_drains) return b_drains;
    return position[state.slot_groups[a].policy] < position[state.slot_groups[b].policy];
  });
  for (uint32_t g : groups) {
    out.groups.push_back(configured_group(state, state.slot_groups[g], cluster));
  }
  add_resources(state, state.clusters[cluster].name, out);
  return out;
}

}  // namespace leasehold
