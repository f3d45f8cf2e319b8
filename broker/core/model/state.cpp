#include "broker/core/model/state.hpp"

#include <algorithm>

namespace leasehold {

uint32_t find_cluster(const State& state, const std::string& name) {
  auto found = state.cluster_index.find(name);
  return found == state.cluster_index.end() ? kNoIndex : found->second;
}

uint32_t find_policy(const State& state, const std::string& name) {
  auto found = state.policy_index.find(name);
  return found == state.policy_index.end() ? kNoIndex : found->second;
}

uint32_t find_slot_group(const State& state, uint64_t generation) {
  if (generation < state.generation_base) return kNoIndex;
  const uint64_t position = generation - state.generation_base;
  if (position < state.groups_by_generation.size()) return state.groups_by_generation[position];
  const auto found = std::lower_bound(
      state.slot_groups.begin(), state.slot_groups.end(), generation,
      [](const SlotGroup& group, uint64_t wanted) { return group.generation < wanted; });
  if (found == state.slot_groups.end() || found->generation != generation) return kNoIndex;
  return static_cast<uint32_t>(found - state.slot_groups.begin());
}

uint32_t find_resource_group(const State& state, const std::string& name) {
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
    if (state.resource_groups[p].name == name) return p;
  }
  return kNoIndex;
}

namespace {

/// Finds it by "<policy>:<consumer>".
LeaseRef find_lease_of_policy(const State& state, const std::string& id, size_t colon) {
  const uint32_t policy = find_policy(state, id.substr(0, colon));
  const uint32_t consumer = find_cluster(state, id.substr(colon + 1));
  if (policy == kNoIndex || consumer == kNoIndex) return {};
  const std::vector<uint32_t>& candidates = state.clusters[consumer].slot_groups;
  for (size_t i = candidates.size(); i-- > 0;) {
    const SlotGroup& group = state.slot_groups[candidates[i]];
    const bool lease = group.resource_group == kNoIndex && group.policy == policy;
    if (lease && group.members[kConsumer].cluster == consumer) return {candidates[i], kConsumer};
  }
  return {};
}

/// Finds it by "<resource group>:<path>" or "<resource group>:<path>@<policy>".
LeaseRef find_lease_of_plan(const State& state, const std::string& id, uint32_t resource_group) {
  for (const uint32_t g : state.resource_groups[resource_group].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    for (uint32_t m = 0; m < group.members.size(); ++m) {
      if (group.members[m].plan_consumer == kNoIndex) continue;
      if (lease_id(state, group, m) == id) return {g, m};
    }
  }
  return {};
}

bool of_several_policies(const State& state, const SlotGroup& group) {
  return std::any_of(
      state.resource_groups[group.resource_group].slot_groups.begin(),
      state.resource_groups[group.resource_group].slot_groups.end(),
      [&](uint32_t other) { return state.slot_groups[other].policy != group.policy; });
}

}  // namespace

LeaseRef find_lease_member(const State& state, const std::string& id) {
  const size_t slash = id.find(":/");
  if (slash != std::string::npos) {
    const uint32_t plan = find_resource_group(state, id.substr(0, slash));
    return plan == kNoIndex ? LeaseRef{} : find_lease_of_plan(state, id, plan);
  }
  const size_t colon = id.rfind(':');
  return colon == std::string::npos ? LeaseRef{} : find_lease_of_policy(state, id, colon);
}

uint32_t find_lease(const State& state, const std::string& id) {
  return find_lease_member(state, id).group;
}

std::string lease_id(const State& state, const SlotGroup& group, uint32_t member) {
  const std::string& policy = state.policies[group.policy].config.name;
  if (group.resource_group == kNoIndex) {
    return policy + ":" + state.clusters[group.members[kConsumer].cluster].name;
  }
  const ResourceGroupLedger& plan = state.resource_groups[group.resource_group];
  std::string id = plan.name;
  if (member != kNoIndex && group.members[member].plan_consumer != kNoIndex) {
    id += ":" + plan.consumers[group.members[member].plan_consumer].path;
  }
  if (of_several_policies(state, group)) id += "@" + policy;
  return id;
}

std::string lease_id(const State& state, const SlotGroup& group) {
  return lease_id(state, group, kNoIndex);
}

std::string group_id(const State& state, const SlotGroup& group) {
  return lease_id(state, group) + "." + std::to_string(group.generation);
}

uint32_t member_of(const SlotGroup& group, uint32_t cluster) {
  if (group.holding_index && group.holding_index->fits(group)) {
    return group.holding_index->member_of(cluster);
  }
  for (uint32_t m = 0; m < group.members.size(); ++m) {
    if (group.members[m].cluster == cluster) return m;
  }
  return kNoIndex;
}

int32_t slots_of(const Wanted& wanted) {
  int32_t total = 0;
  for (const auto& [row, slots] : wanted) total += slots;
  return total;
}

int32_t in_transfer(const SlotGroup& group) {
  int32_t sum = 0;
  for (const HostLedger& host : group.hosts) sum += host.in_transfer;
  return sum;
}

int32_t unallocated(const SlotGroup& group) {
  int32_t sum = 0;
  for (const HostLedger& host : group.hosts) sum += host.unallocated;
  return sum;
}

int32_t exported(const SlotGroup& group) {
  int32_t sum = 0;
  for (const HostLedger& host : group.hosts) sum += host.exported;
  return sum;
}

}  // namespace leasehold
