#include "broker/views/leases/lease_facts.hpp"

#include <algorithm>

#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/views/plan/lookup.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

/// By resource group and consumer; empty: not yet counted.
using FlipsByConsumer = std::vector<std::vector<int64_t>>;

const SlotGroup& group_of(const State& state, const LeaseRef& lease) {
  return state.slot_groups[lease.group];
}

LeaseFacts::Kind kind_of_policy(const State& state, const LeaseRef& lease) {
  const ExportPolicy& policy = state.policies[group_of(state, lease).policy].config;
  return {token(policy.type), token(policy.rule)};
}

LeaseFacts::Kind kind_of_plan(const State& state, const LeaseRef& lease) {
  const SlotGroup& of = group_of(state, lease);
  const Plan* plan = plan_in_force(state, state.resource_groups[of.resource_group]);
  // The plan is gone, the group drains.
  if (plan == nullptr) return {"plan", token(PlanPolicy::hybrid)};
  // The ledger names consumers in the order of the first plan.
  const uint32_t at =
      position_of(*plan, rows::consumer(state, lease).path, of.members[lease.member].plan_consumer);
  return {"plan", token(at == kNoIndex ? plan->policy : policy_of(*plan, at))};
}

/// Returns the slots in transfer that the consumer is due and does not have yet.
int32_t released_for(const State& state, const LeaseRef& lease) {
  const SlotGroup& of = group_of(state, lease);
  int32_t sum = 0;
  for (size_t row = 0; row < of.hosts.size(); ++row) {
    const Holding& holding = of.at(row, lease.member);
    sum += std::min(of.hosts[row].in_transfer, std::max(0, holding.due - holding.held));
  }
  return sum;
}

/// One pass counts the flips of all consumers: a search of all pairs for each lease would be
/// quadratic.
int64_t flips_of_consumer(const State& state, const LeaseRef& lease, FlipsByConsumer& counted) {
  const SlotGroup& of = group_of(state, lease);
  std::vector<int64_t>& flips = counted[of.resource_group];
  if (flips.empty()) {
    const ResourceGroupLedger& plan = state.resource_groups[of.resource_group];
    flips.resize(plan.consumers.size());
    for (const PairFlips& pair : plan.pairs) {
      flips[pair.from] += pair.flips;
      if (pair.to != pair.from) flips[pair.to] += pair.flips;
    }
  }
  return flips[of.members[lease.member].plan_consumer];
}

/// The facts that a lease of a policy and one of a plan's leaf have each in its own way.
struct OwnFacts {
  bool provider_needs_consumer;  // its slots count as up only where they are for both
  LeaseFacts::Kind (*kind)(const State& state, const LeaseRef& lease);
  Reason (*reason)(const State& state, const LeaseRef& lease);
  std::string (*group_name)(const State& state, const LeaseRef& lease);
  std::string_view (*path)(const State& state, const LeaseRef& lease);
  bool (*is_made)(const SlotGroup& group);
  bool (*has_left)(const SlotGroup& group, size_t member);
  int32_t (*exported)(const SlotGroup& group, size_t member);
  int32_t (*in_transfer)(const State& state, const LeaseRef& lease);
  int64_t (*flips)(const State& state, const LeaseRef& lease, FlipsByConsumer& counted);
  Instant (*last_flip)(const State& state, const LeaseRef& lease);
};

constexpr OwnFacts kOfPolicy{
    true,
    kind_of_policy,
    [](auto& state, auto& lease) { return group_of(state, lease).reason; },
    [](auto& state, auto& lease) { return group_id(state, group_of(state, lease)); },
    [](auto&, auto&) { return std::string_view(); },
    [](auto& group) { return group.members[kConsumer].ever_used; },
    [](auto&, size_t) { return false; },
    [](auto& group, size_t) { return exported(group); },
    [](auto& state, auto& lease) { return in_transfer(group_of(state, lease)); },
    [](auto& state, auto& lease, auto&) { return group_of(state, lease).flips; },
    [](auto& state, auto& lease) { return group_of(state, lease).last_flip; },
};

constexpr OwnFacts kOfPlan{
    false,
    kind_of_plan,
    [](auto& state, auto& lease) { return rows::consumer(state, lease).reason; },
    [](auto& state, auto& lease) {
      return state.resource_groups[group_of(state, lease).resource_group].name;
    },
    [](auto& state, auto& lease) { return std::string_view(rows::consumer(state, lease).path); },
    [](auto& group) { return group.phase != Phase::offered; },
    [](auto& group, size_t member) {
      return group.members[member].plan_consumer == kNoIndex && held_by(group, member) == 0;
    },
    [](auto& group, size_t member) { return held_by(group, member); },
    released_for,
    flips_of_consumer,
    [](auto& state, auto& lease) { return rows::consumer(state, lease).gained_at; },
};

const OwnFacts& own_facts(const SlotGroup& group) {
  return group.resource_group == kNoIndex ? kOfPolicy : kOfPlan;
}

}  // namespace

bool concerns(const Transfer& transfer, size_t member) {
  return transfer.from == member || transfer.to == member;
}

LeaseFacts::Kind LeaseFacts::kind(const LeaseRef& lease) const {
  return own_facts(group(lease)).kind(state_, lease);
}

Reason LeaseFacts::reason(const LeaseRef& lease) const {
  return own_facts(group(lease)).reason(state_, lease);
}

std::string LeaseFacts::group_name(const LeaseRef& lease) const {
  return own_facts(group(lease)).group_name(state_, lease);
}

std::string_view LeaseFacts::path(const LeaseRef& lease) const {
  return own_facts(group(lease)).path(state_, lease);
}

bool LeaseFacts::is_made(const LeaseRef& lease) const {
  return own_facts(group(lease)).is_made(group(lease));
}

bool LeaseFacts::has_left(const LeaseRef& lease) const {
  return own_facts(group(lease)).has_left(group(lease), lease.member);
}

int64_t LeaseFacts::exported(const LeaseRef& lease) const {
  return own_facts(group(lease)).exported(group(lease), lease.member);
}

Totals LeaseFacts::totals(const LeaseRef& lease) const {
  const SlotGroup& of = group(lease);
  const bool both = own_facts(of).provider_needs_consumer;
  Totals sum;
  for (size_t h = 0; h < of.hosts.size(); ++h) {
    const Holding& provider = of.at(h, kProvider);
    const Holding& consumer = of.at(h, lease.member);
    if (!provider.up || (both && !consumer.up)) continue;
    sum.provider_available += provider.held;
    sum.provider_used += std::min(provider.used, provider.held);
    if (!consumer.up) continue;
    sum.consumer_available += consumer.held;
    sum.consumer_used += std::min(consumer.used, consumer.held);
  }
  return sum;
}

int32_t LeaseFacts::in_transfer(const LeaseRef& lease) const {
  return own_facts(group(lease)).in_transfer(state_, lease);
}

int64_t LeaseFacts::asked_for(const LeaseRef& lease) const {
  const SlotGroup& of = group(lease);
  int64_t sum = 0;
  for (const Transfer& transfer : of.transfers) {
    if (transfer.step != TransferStep::releasing) continue;
    if (!concerns(transfer, lease.member)) continue;
    // It goes on as jobs end.
    if (!transfer.inactive && transfer.lowering == wire::Lowering::shrink) continue;
    sum += std::max(0, transfer.slots_wanted - transfer.slots_released);
  }
  return sum;
}

LeaseFacts::SlotsDown LeaseFacts::slots_down(const LeaseRef& lease) const {
  const SlotGroup& of = group(lease);
  const bool both = own_facts(of).provider_needs_consumer;
  SlotsDown down;
  for (size_t h = 0; h < of.hosts.size(); ++h) {
    const Holding& of_provider = of.at(h, kProvider);
    const Holding& of_consumer = of.at(h, lease.member);
    const bool common = of_provider.up && of_consumer.up;
    if (!(both ? common : of_provider.up)) down.provider += of_provider.held;
    if (!common) down.consumer += of_consumer.held;
  }
  return down;
}

int64_t LeaseFacts::flips(const LeaseRef& lease) {
  return own_facts(group(lease)).flips(state_, lease, flips_);
}

Instant LeaseFacts::last_flip(const LeaseRef& lease) const {
  return own_facts(group(lease)).last_flip(state_, lease);
}

Instant LeaseFacts::next_evaluation(const LeaseRef& lease) const {
  const SlotGroup& of = group(lease);
  return is_over(of) || of.grid >= state_.grids.size() ? kNever : state_.grids[of.grid].next;
}

}  // namespace leasehold
