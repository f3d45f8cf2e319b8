#include "broker/record/indices.hpp"

#include <algorithm>
#include <utility>

#include "broker/record/event_codec.hpp"
#include "broker/record/event_codec_bytes.hpp"

namespace leasehold {

namespace {

bool below(uint32_t index, size_t size) {
  return index < size;
}
bool below_or_none(uint32_t index, size_t size) {
  return index == kNoIndex || index < size;
}

bool members_hold(const State& state, const SlotGroup& group, bool lease) {
  if (!lease && !below(group.resource_group, state.resource_groups.size())) return false;
  if (group.members.size() < (lease ? 2U : 1U)) return false;
  const size_t consumers = lease ? 0 : state.resource_groups[group.resource_group].consumers.size();
  return std::all_of(group.members.begin(), group.members.end(), [&](const Member& member) {
    return below(member.cluster, state.clusters.size()) &&
           below_or_none(member.plan_consumer, consumers);
  });
}

bool indices_hold(const State& state, const ResourceGroupLedger& plan) {
  const size_t consumers = plan.consumers.size();
  for (const PlanConsumerLedger& consumer : plan.consumers) {
    for (const LentSlots& loan : consumer.loans) {
      if (!below(loan.lender, consumers)) return false;
    }
  }
  for (const PairFlips& pair : plan.pairs) {
    if (!below(pair.from, consumers) || !below(pair.to, consumers)) return false;
  }
  return below(plan.grid, state.grids.size());
}

bool indices_hold(const State& state, const SlotGroup& group) {
  if (!below_or_none(group.policy, state.policies.size())) return false;
  const bool lease = group.resource_group == kNoIndex;
  if (!below(group.grid, state.grids.size()) || !members_hold(state, group, lease)) return false;
  if (group.holdings.size() != group.hosts.size() * group.members.size()) return false;
  const size_t hosts = state.clusters[group.members[kProvider].cluster].hosts.size();
  for (const HostLedger& host : group.hosts) {
    if (!below(host.host, hosts)) return false;
  }
  uint64_t before = 0;
  for (const Transfer& transfer : group.transfers) {
    if (transfer.id <= std::exchange(before, transfer.id)) return false;  // ids increase
    const bool nobody = !lease && transfer.to == kNoMember;
    if (transfer.from >= group.members.size()) return false;
    if (transfer.to >= group.members.size() && !nobody) return false;
    for (const auto& [host, slots] : transfer.wanted) {
      if (!below(host, group.hosts.size())) return false;
    }
  }
  return true;
}

}  // namespace

Status check_indices(const State& state, const ResourceGroupLedger& plan) {
  if (indices_hold(state, plan)) return {};
  return bytes::corrupt("resource group " + plan.name,
                        "it names a consumer or grid that is not there");
}

Status check_indices(const State& state, const SlotGroup& group) {
  if (indices_hold(state, group)) return {};
  return bytes::corrupt("slot group " + std::to_string(group.generation),
                        "it names a cluster, host, policy or grid that is not there");
}

Status check_indices(const State& state) {
  if (!plans_hold_together(state.config, state.windows)) {
    return bytes::corrupt("the configuration", "a plan names a consumer that is not there");
  }
  for (const PolicyState& policy : state.policies) {
    if (below_or_none(policy.provider, state.clusters.size())) continue;
    return bytes::corrupt("export policy " + policy.config.name,
                          "it names a cluster that is not there");
  }
  for (const ResourceGroupLedger& plan : state.resource_groups) {
    if (Status sound = check_indices(state, plan); !sound) return sound;
  }
  for (const SlotGroup& group : state.slot_groups) {
    if (Status sound = check_indices(state, group); !sound) return sound;
  }
  for (const Grid& grid : state.grids) {
    if (grid.changed.next(static_cast<uint32_t>(state.slot_groups.size())) != kNoIndex) {
      return bytes::corrupt("a grid", "no such group");
    }
  }
  for (const Deadline& deadline : state.deadlines) {
    if (!below(deadline.group, state.slot_groups.size())) {
      return bytes::corrupt("a deadline", "no such group");
    }
  }
  for (const Returning& entry : state.returning) {
    if (below(entry.group, state.slot_groups.size()) &&
        below(entry.cluster, state.clusters.size()) &&
        member_of(state.slot_groups[entry.group], entry.cluster) != kNoIndex) {
      continue;
    }
    return bytes::corrupt("slots that return", "no such group or cluster");
  }
  return {};
}

}  // namespace leasehold
