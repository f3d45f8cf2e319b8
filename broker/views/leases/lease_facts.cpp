#include "broker/views/leases/lease_facts.hpp"

#include <algorithm>

#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/views/plan/lookup.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

bool of_plan(const SlotGroup& group) {
  return group.resource_group != kNoIndex;
}

/// Returns the slots of the row that the member is due and does not have yet.
int32_t slots_missing(const SlotGroup& group, size_t row, size_t member) {
  const Holding& holding = group.at(row, member);
  return std::max(0, holding.due - holding.held);
}

}  // namespace

bool concerns(const SlotGroup& group, const Transfer& transfer, size_t member) {
  return !of_plan(group) || transfer.from == member || transfer.to == member;
}

LeaseFacts::Kind LeaseFacts::kind(const LeaseRef& lease) const {
  const SlotGroup& of = group(lease);
  const ExportPolicy& policy = state_.policies[of.policy].config;
  if (!of_plan(of)) return {token(policy.type), token(policy.rule)};
  const Plan* plan = plan_in_force(state_, state_.resource_groups[of.resource_group]);
  // The plan is gone, the group drains.
  if (plan == nullptr) return {"plan", token(PlanPolicy::hybrid)};
  // The ledger names consumers in the order of the first plan.
  const uint32_t at = position_of(*plan, rows::consumer(state_, lease).path,
                                  of.members[lease.member].plan_consumer);
  return {"plan", token(at == kNoIndex ? plan->policy : policy_of(*plan, at))};
}

Reason LeaseFacts::reason(const LeaseRef& lease) const {
  return of_plan(group(lease)) ? rows::consumer(state_, lease).reason : group(lease).reason;
}

int32_t LeaseFacts::in_transfer(const LeaseRef& lease) const {
  const SlotGroup& of = group(lease);
  if (!of_plan(of)) return leasehold::in_transfer(of);
  int32_t sum = 0;
  for (size_t row = 0; row < of.hosts.size(); ++row) {
    sum += std::min(of.hosts[row].in_transfer, slots_missing(of, row, lease.member));
  }
  return sum;
}

int64_t LeaseFacts::asked_for(const LeaseRef& lease) const {
  const SlotGroup& of = group(lease);
  int64_t sum = 0;
  for (const Transfer& transfer : of.transfers) {
    if (transfer.step != TransferStep::releasing) continue;
    if (!concerns(of, transfer, lease.member)) continue;
    // It goes on as jobs end.
    if (!transfer.inactive && transfer.lowering == wire::Lowering::shrink) continue;
    sum += std::max(0, transfer.slots_wanted - transfer.slots_released);
  }
  return sum;
}

LeaseFacts::SlotsDown LeaseFacts::slots_down(const LeaseRef& lease) const {
  const SlotGroup& of = group(lease);
  SlotsDown down;
  for (size_t h = 0; h < of.hosts.size(); ++h) {
    const Holding& of_provider = of.at(h, kProvider);
    const Holding& of_consumer = of.at(h, lease.member);
    const bool common = of_provider.up && of_consumer.up;
    if (!(of_plan(of) ? of_provider.up : common)) down.provider += of_provider.held;
    if (!common) down.consumer += of_consumer.held;
  }
  return down;
}

/// One pass counts the flips of all consumers: a search of all pairs for each lease would be
/// quadratic.
const std::vector<int64_t>& LeaseFacts::flips_by_consumer(uint32_t resource_group) {
  const ResourceGroupLedger& plan = state_.resource_groups[resource_group];
  std::vector<int64_t>& flips = flips_[resource_group];
  if (!flips.empty()) return flips;
  flips.resize(plan.consumers.size());
  for (const PairFlips& pair : plan.pairs) {
    flips[pair.from] += pair.flips;
    if (pair.to != pair.from) flips[pair.to] += pair.flips;
  }
  return flips;
}

int64_t LeaseFacts::flips(const LeaseRef& lease) {
  const SlotGroup& of = group(lease);
  if (!of_plan(of)) return of.flips;
  return flips_by_consumer(of.resource_group)[of.members[lease.member].plan_consumer];
}

Instant LeaseFacts::last_flip(const LeaseRef& lease) const {
  const SlotGroup& of = group(lease);
  return of_plan(of) ? rows::consumer(state_, lease).gained_at : of.last_flip;
}

Instant LeaseFacts::next_evaluation(const LeaseRef& lease) const {
  const SlotGroup& of = group(lease);
  const bool over = of.phase == Phase::draining || of.phase == Phase::closed;
  const uint32_t grid = of_plan(of) ? state_.resource_groups[of.resource_group].grid : of.grid;
  return over || grid >= state_.grids.size() ? kNever : state_.grids[grid].next;
}

}  // namespace leasehold
