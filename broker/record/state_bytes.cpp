#include "broker/record/state_bytes.hpp"

#include <algorithm>

#include "broker/core/model/turn/derive.hpp"
#include "broker/record/indices.hpp"
#include "broker/record/state_fields.hpp"

namespace leasehold {

namespace {

using bytes::kept_all;

constexpr size_t kDerivedOfState = 11 + 4;
static_assert(kept_all<OrderInForce>());
static_assert(kept_all<DivisionSaid>());
static_assert(kept_all<Host>() && kept_all<Cluster>(6) && kept_all<Holding>(1));
static_assert(kept_all<HostLedger>() && kept_all<Transfer>() && kept_all<Member>(1));
static_assert(kept_all<SlotGroup>(2) && kept_all<PolicyState>() && kept_all<Grid>());
static_assert(kept_all<Deadline>() && kept_all<Returning>() && kept_all<State>(kDerivedOfState));
static_assert(kept_all<Totals>() && kept_all<RuleAnswer>() && kept_all<Shadow>());
static_assert(kept_all<LentSlots>() && kept_all<PlanConsumerLedger>(1) && kept_all<PairFlips>());
static_assert(kept_all<ResourceGroupLedger>(5) && kept_all<PlanWork>());

/// Fields that derive() resets although the bytes contain them.
struct ResetFields {
  std::vector<IndexSet> changed;
  std::vector<bool> plan_flags;
  std::vector<Deadline> deadlines;
};

void derive_around(State& state) {
  ResetFields waiting;
  for (const Grid& grid : state.grids) waiting.changed.push_back(grid.changed);
  for (const ResourceGroupLedger& plan : state.resource_groups) {
    waiting.plan_flags.push_back(plan.evaluate_flag);
  }
  waiting.deadlines = state.deadlines;
  share_equal_lists(state.config);
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

void encode_state(const State& state, std::string& out) {
  bytes::Packer(out).put(state);
}

Result<State> decode_state(std::string_view from) {
  State state;
  if (const Status done = decode_into("a state", from, state); !done) {
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
  for (const Member& member : group.members) {
    if (member.window_ends) pack(out, member.cluster, member.window_ends);
  }
  if (group.shadow) pack(out, group.shadow);
  if (group.demand) pack(out, group.demand);
}

void encode_durable(const Cluster& cluster, std::string& out) {
  pack(out, cluster.name, cluster.configured, cluster.seq, cluster.draining_imports, cluster.hosts,
       cluster.state_id, cluster.boot, cluster.lease_bound_ms, cluster.identity,
       cluster.draining_exports, cluster.imports_order, cluster.exports_order);
}

void encode_durable(const PolicyState& policy, std::string& out) {
  pack(out, policy.config, policy.configured, policy.open, policy.chosen, policy.provider);
  if (!policy.config.select.empty()) pack(out, policy.allocation);
}

void encode_durable(const ResourceGroupLedger& plan, std::string& out) {
  pack(out, plan.name, plan.configured, plan.variant, plan.grid, plan.consumers, plan.pairs,
       plan.evaluated_at);
}

void encode_durable_rest(const State& state, std::string& out) {
  pack(out, state.config, state.windows, state.generation_next, state.transfer_next, state.frozen,
       state.freeze_order);
  if (state.freeze_ahead) pack(out, state.freeze_ahead);
  for (const Grid& grid : state.grids) pack(out, grid.delay_ms, grid.anchor);
}

}  // namespace leasehold
