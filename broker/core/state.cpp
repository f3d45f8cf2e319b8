#include "broker/core/state.hpp"

#include <algorithm>

namespace leasehold {

const char* token(Phase phase) {
  switch (phase) {
    case Phase::offered:
      return "offered";
    case Phase::active:
      return "active";
    case Phase::inactive:
      return "inactive";
    case Phase::draining:
      return "draining";
    case Phase::closed:
      break;
  }
  return "closed";
}

const char* token(TransferStep step) {
  switch (step) {
    case TransferStep::releasing:
      return "releasing";
    case TransferStep::granting:
      break;
  }
  return "granting";
}

uint32_t find_cluster(const State& state, const std::string& name) {
  auto found = state.cluster_index.find(name);
  return found == state.cluster_index.end() ? kNoIndex : found->second;
}

uint32_t find_policy(const State& state, const std::string& name) {
  auto found = state.policy_index.find(name);
  return found == state.policy_index.end() ? kNoIndex : found->second;
}

uint32_t find_group(const State& state, uint64_t generation) {
  if (generation < state.generation_base) return kNoIndex;
  const uint64_t position = generation - state.generation_base;
  if (position < state.groups_by_generation.size()) return state.groups_by_generation[position];
  const auto found = std::lower_bound(
      state.groups.begin(), state.groups.end(), generation,
      [](const Group& group, uint64_t wanted) { return group.generation < wanted; });
  if (found == state.groups.end() || found->generation != generation) return kNoIndex;
  return static_cast<uint32_t>(found - state.groups.begin());
}

uint32_t find_lease(const State& state, const std::string& id) {
  const size_t colon = id.rfind(':');
  if (colon == std::string::npos) return kNoIndex;
  const uint32_t policy = find_policy(state, id.substr(0, colon));
  const uint32_t consumer = find_cluster(state, id.substr(colon + 1));
  if (policy == kNoIndex || consumer == kNoIndex) return kNoIndex;
  const std::vector<uint32_t>& candidates = state.clusters[consumer].groups;
  for (size_t i = candidates.size(); i-- > 0;) {
    const Group& group = state.groups[candidates[i]];
    if (group.policy == policy && group.members[kConsumer].cluster == consumer) {
      return candidates[i];
    }
  }
  return kNoIndex;
}

std::string lease_id(const State& state, const Group& group) {
  return state.policies[group.policy].config.name + ":" +
         state.clusters[group.members[kConsumer].cluster].name;
}

std::string group_id(const State& state, const Group& group) {
  return lease_id(state, group) + "." + std::to_string(group.generation);
}

uint32_t member_of(const Group& group, uint32_t cluster) {
  for (uint32_t m = 0; m < group.members.size(); ++m) {
    if (group.members[m].cluster == cluster) return m;
  }
  return kNoIndex;
}

int32_t in_transfer(const Group& group) {
  int32_t sum = 0;
  for (const HostLedger& host : group.hosts) sum += host.in_transfer;
  return sum;
}

int32_t exported(const Group& group) {
  int32_t sum = 0;
  for (const HostLedger& host : group.hosts) sum += host.exported;
  return sum;
}

}  // namespace leasehold
