#include "broker/record/history_snapshot.hpp"

#include <algorithm>

#include "broker/core/model/derive.hpp"
#include "broker/record/event_codec.hpp"
#include "broker/record/snapshot_fields.hpp"

namespace leasehold {

namespace {

using bytes::kept_all;

constexpr size_t kDerivedOfState = 9 + 4;
static_assert(kept_all<StandingOrder>());
static_assert(kept_all<Host>() && kept_all<Cluster>(3) && kept_all<Holding>());
static_assert(kept_all<HostLedger>() && kept_all<Transfer>() && kept_all<Member>(1));
// Of a slot group: not dirty, but a place that is empty now.
static_assert(kept_all<SlotGroup>(0) && kept_all<PolicyState>() && kept_all<Grid>());
static_assert(kept_all<Deadline>() && kept_all<Returning>() && kept_all<State>(kDerivedOfState));
static_assert(kept_all<LentSlots>() && kept_all<PlanConsumerLedger>(1) && kept_all<PairFlips>());
static_assert(kept_all<ResourceGroupLedger>(4));

bool below(uint32_t index, size_t size) {
  return index < size;
}
bool below_or_none(uint32_t index, size_t size) {
  return index == kNoIndex || index < size;
}

bool members_hold(const State& state, const SlotGroup& group) {
  const bool lease = group.resource_group == kNoIndex;
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
  if (!below(group.grid, state.grids.size()) || !members_hold(state, group)) return false;
  if (group.holdings.size() != group.hosts.size() * group.members.size()) return false;
  const bool lease = group.resource_group == kNoIndex;
  const size_t hosts = state.clusters[group.members[kProvider].cluster].hosts.size();
  for (const HostLedger& host : group.hosts) {
    if (!below(host.host, hosts)) return false;
  }
  for (const Transfer& transfer : group.transfers) {
    const bool nobody = !lease && transfer.to == kNoMember;
    if (transfer.from >= group.members.size()) return false;
    if (transfer.to >= group.members.size() && !nobody) return false;
    for (const auto& [host, slots] : transfer.wanted) {
      if (!below(host, group.hosts.size())) return false;
    }
  }
  return true;
}

/// What derive() sets anew although a snapshot has it.
struct Waiting {
  std::vector<ChangedSet> changed;
  std::vector<bool> plan_flags;
  std::vector<Deadline> deadlines;
};

void derive_around(State& state) {
  Waiting waiting;
  for (const Grid& grid : state.grids) waiting.changed.push_back(grid.changed);
  for (const ResourceGroupLedger& plan : state.resource_groups)
    waiting.plan_flags.push_back(plan.evaluate_flag);
  waiting.deadlines = state.deadlines;
  derive(state);
  for (size_t i = 0; i < state.grids.size(); ++i) state.grids[i].changed = waiting.changed[i];
  for (size_t i = 0; i < state.resource_groups.size(); ++i) {
    state.resource_groups[i].evaluate_flag = waiting.plan_flags[i];
  }
  state.deadlines = waiting.deadlines;
}

template <class T>
Status decode_into(std::string_view what, std::string_view from, T& value) {
  return bytes::unpack(what, from, [&](const msgpack::object& object, bytes::Unpacker& unpacker) {
    return unpacker.get(object, value);
  });
}

/// Writes a tuple of values as one array.
template <class... T>
void pack(std::string& out, const T&... values) {
  bytes::Packer packer(out);
  packer.array(sizeof...(values));
  (packer.put(values), ...);
}

}  // namespace

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
    if (indices_hold(state, plan)) continue;
    return bytes::corrupt("resource group " + plan.name,
                          "it names a consumer or grid that is not there");
  }
  for (const SlotGroup& group : state.slot_groups) {
    if (indices_hold(state, group)) continue;
    return bytes::corrupt("slot group " + std::to_string(group.generation),
                          "it names a cluster, host, policy or grid that is not there");
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

void encode_state(const State& state, std::string& out) {
  bytes::Packer(out).put(state);
}

Result<State> decode_state(std::string_view from) {
  State state;
  if (const Status done = decode_into("a snapshot", from, state); !done) {
    return tl::unexpected(done.error());
  }
  if (const Status sound = check_indices(state); !sound) return tl::unexpected(sound.error());
  derive_around(state);
  return state;
}

void encode_durable(const SlotGroup& group, std::string& out) {
  pack(out, group.generation, group.policy, group.phase, group.reason, group.epoch, group.since,
       group.last_flip, group.numbers, group.evaluated_at, group.flips, group.grid, group.hosts,
       group.transfers, group.resource_group);
  for (const Member& member : group.members) {
    pack(out, member.cluster, member.seq, member.ever_used, member.plan_consumer);
  }
  for (const Holding& holding : group.holdings) {
    pack(out, holding.held, holding.due, holding.withheld);
  }
}

void encode_durable(const Cluster& cluster, std::string& out) {
  pack(out, cluster.name, cluster.configured, cluster.seq, cluster.draining_imports, cluster.hosts,
       cluster.state_id, cluster.boot, cluster.lease_bound_ms, cluster.identity,
       cluster.draining_exports, cluster.imports_order, cluster.exports_order);
}

void encode_durable(const PolicyState& policy, std::string& out) {
  pack(out, policy.config, policy.configured, policy.open, policy.chosen, policy.provider);
  if (!policy.config.select.empty()) pack(out, policy.due);
}

void encode_durable(const ResourceGroupLedger& plan, std::string& out) {
  pack(out, plan.name, plan.configured, plan.variant, plan.grid, plan.consumers, plan.pairs,
       plan.evaluated_at);
}

void encode_durable_rest(const State& state, std::string& out) {
  pack(out, state.config, state.windows, state.generation_next, state.transfer_next, state.frozen,
       state.freeze_order);
  for (const Grid& grid : state.grids) pack(out, grid.delay_ms, grid.anchor);
}

Hash state_digest(const State& state) {
  std::string all;
  encode_durable_rest(state, all);
  for (const Cluster& cluster : state.clusters) encode_durable(cluster, all);
  for (const PolicyState& policy : state.policies) encode_durable(policy, all);
  for (const SlotGroup& group : state.slot_groups) encode_durable(group, all);
  for (const ResourceGroupLedger& plan : state.resource_groups) encode_durable(plan, all);
  return hash_of(all);
}

void encode_host_extra(const Host& host, std::string& out) {
  pack(out, host.facts.booleans, host.facts.numbers_milli, host.closed_for, host.closed_order,
       host.closed_for_orders);
}

Status decode_host_extra(std::string_view from, Host& host) {
  if (from.empty()) return {};
  return bytes::unpack("a host", from, [&](const msgpack::object& list, bytes::Unpacker& unpacker) {
    const bool earlier = list.type == msgpack::type::ARRAY && list.via.array.size == 3;
    if (!unpacker.is_array(list, earlier ? 3 : 5)) return false;
    const msgpack::object* part = list.via.array.ptr;
    return unpacker.get(part[0], host.facts.booleans) &&
           unpacker.get(part[1], host.facts.numbers_milli) &&
           unpacker.get(part[2], host.closed_for) &&
           (earlier || (unpacker.get(part[3], host.closed_order) &&
                        unpacker.get(part[4], host.closed_for_orders)));
  });
}

void encode_order(const StandingOrder& order, std::string& out) {
  bytes::Packer(out).put(order);
}
Status decode_order(std::string_view from, StandingOrder& order) {
  if (from.empty()) return {};  // nobody knows who gave it
  return decode_into("an operator's order", from, order);
}

void encode_work(const Cluster& cluster, std::string& out) {
  if (cluster.demand || cluster.ending) pack(out, cluster.demand, cluster.ending);
}
Status decode_work(std::string_view from, Cluster& cluster) {
  if (from.empty()) return {};
  return bytes::unpack(
      "a cluster's work", from, [&](const msgpack::object& list, bytes::Unpacker& unpacker) {
        return unpacker.is_array(list, 2) && unpacker.get(list.via.array.ptr[0], cluster.demand) &&
               unpacker.get(list.via.array.ptr[1], cluster.ending);
      });
}

void encode_policy_config(const ExportPolicy& policy, std::string& out) {
  bytes::Packer(out).put(policy);
}
Status decode_policy_config(std::string_view from, ExportPolicy& policy) {
  return decode_into("a policy", from, policy);
}
void encode_due(const std::vector<HostSlots>& due, std::string& out) {
  bytes::Packer(out).put(due);
}
Status decode_due(std::string_view from, std::vector<HostSlots>& due) {
  return decode_into("a policy's hosts", from, due);
}
void encode_wanted(const HostSlots& wanted, std::string& out) {
  bytes::Packer(out).put(wanted);
}
Status decode_wanted(std::string_view from, HostSlots& wanted) {
  return decode_into("a transfer", from, wanted);
}
void encode_loans(const std::vector<LentSlots>& loans, std::string& out) {
  bytes::Packer(out).put(loans);
}
Status decode_loans(std::string_view from, std::vector<LentSlots>& loans) {
  return decode_into("a consumer's loans", from, loans);
}

}  // namespace leasehold
