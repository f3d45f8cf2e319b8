// The fields that bases and images keep of each part of the state, in order. For this folder only.
#pragma once

#include <tuple>

#include "broker/core/model/state.hpp"
#include "broker/record/event_codec_fields.hpp"

namespace leasehold::bytes {

template <>
inline constexpr int kValues<Phase> = 5;
template <>
inline constexpr int kValues<Contact> = 2;
template <>
inline constexpr int kValues<TransferStep> = 2;

template <>
inline constexpr size_t kAddedLater<Host> = 3;
template <>
inline constexpr size_t kAddedLater<Member> = 1;
template <>
inline constexpr size_t kAddedLater<SlotGroup> = 2;
template <>
inline constexpr size_t kAddedLater<demand_aware::Ledger> = 7;
template <>
inline constexpr size_t kAddedLater<demand_aware::Shape> = 1;
template <>
inline constexpr size_t kAddedLater<PlanConsumerLedger> = 1;
template <>
inline constexpr size_t kAddedLater<OrderInForce> = 1;
template <>
inline constexpr size_t kAddedLater<State> = 1;

}  // namespace leasehold::bytes

namespace leasehold::demand_aware {

template <bytes::Of<Shape> V>
auto fields(V& v) {
  return std::tie(v.slots_per_host, v.hosts, v.slots, v.whole);
}
template <bytes::Of<BackOff> V>
auto fields(V& v) {
  return std::tie(v.member, v.shape, v.until, v.times);
}
template <bytes::Of<Grant> V>
auto fields(V& v) {
  return std::tie(v.to, v.slots, v.unused, v.at, v.shapes);
}
template <bytes::Of<Gathering> V>
auto fields(V& v) {
  return std::tie(v.member, v.shape, v.until);
}
template <bytes::Of<Pace> V>
auto fields(V& v) {
  return std::tie(v.move_ms, v.moving, v.until);
}
template <bytes::Of<OwnerTrial> V>
auto fields(V& v) {
  return std::tie(v.since, v.back_offs);
}
template <bytes::Of<InVain> V>
auto fields(V& v) {
  return std::tie(v.failed, v.shapes, v.until);
}
template <bytes::Of<Ledger> V>
auto fields(V& v) {
  return std::tie(v.evaluated_at, v.moved_at, v.wanted, v.waited_slot_s, v.elsewhere, v.grant,
                  v.gathering, v.back_offs, v.react_at, v.pace, v.left_unused, v.earlier, v.owner,
                  v.beside, v.owner_trial, v.in_vain);
}

}  // namespace leasehold::demand_aware

namespace leasehold {

template <Of<OrderInForce> V>
auto fields(V& v) {
  return std::tie(v.by, v.where, v.why, v.since, v.until, v.from);
}
template <Of<DivisionSaid> V>
auto fields(V& v) {
  return std::tie(v.cluster, v.division);
}
template <Of<Host> V>
auto fields(V& v) {
  return std::tie(v.facts, v.present, v.closed, v.closed_reclaim, v.closed_for, v.closed_order,
                  v.closed_for_orders, v.down_since, v.divisions, v.barred, v.ending_from);
}
/// The hosts are left out, because there may be very many.
template <Of<Cluster> V>
auto own_fields(
    V& v) {  // not: slot_groups, has_horizons, dirty, hosts_dirty, idle_elsewhere, idle_beside
  return std::tie(v.name, v.configured, v.seq, v.draining_imports, v.state_id, v.boot, v.contact,
                  v.session, v.configuration, v.pending, v.degraded, v.self_expiring, v.fences,
                  v.program_version, v.lease_bound_ms, v.configured_lease_ms, v.expires_at,
                  v.stopped, v.identity, v.replaced, v.copy, v.chooses, v.scheduling,
                  v.draining_exports, v.imports_order, v.exports_order, v.demand, v.ending);
}
template <Of<Cluster> V>
auto fields(V& v) {
  return std::tuple_cat(own_fields(v), std::tie(v.hosts));
}
template <Of<Holding> V>
auto fields(V& v) {  // not: touched
  return std::tie(v.held, v.ordered, v.stated, v.used, v.up, v.confirmed, v.due, v.withheld,
                  v.down_since);
}
template <Of<HostLedger> V>
auto fields(V& v) {
  return std::tie(v.host, v.exported, v.target, v.in_transfer, v.unallocated, v.just_exported);
}
template <Of<Transfer> V>
auto fields(V& v) {
  return std::tie(v.id, v.from, v.to, v.lowering, v.step, v.reason, v.inactive, v.slots_wanted,
                  v.slots_released, v.since, v.deadline, v.wanted, v.grace_ms);
}
template <Of<Member> V>
auto fields(V& v) {  // not: order_index, a position in effects that are gone
  return std::tie(v.cluster, v.seq, v.ever_used, v.seq_stated, v.known_since_start, v.trusted,
                  v.reported, v.breach, v.ordered_at, v.plan_consumer, v.doubted, v.chooses,
                  v.window_ends);
}
template <Of<Totals> V>
auto fields(V& v) {
  return std::tie(v.provider_available, v.provider_used, v.consumer_available, v.consumer_used);
}
template <Of<RuleAnswer> V>
auto fields(V& v) {
  return std::tie(v.reason, v.slots, v.to_consumer);
}
template <Of<Shadow> V>
auto fields(V& v) {
  return std::tie(v.rule, v.shadow, v.in_force, v.answer, v.totals, v.epoch, v.evaluated_at);
}
/// The rows and transfers are left out, of which a plan's group may have very many, and what a
/// plan's group does not have.
template <Of<SlotGroup> V>
auto own_fields(V& v) {
  return std::tie(v.generation, v.policy, v.phase, v.reason, v.epoch, v.since, v.last_flip,
                  v.numbers, v.evaluated_at, v.flips, v.quarantined, v.breach, v.grid,
                  v.resource_group);
}
template <Of<SlotGroup> V>
auto fields(V& v) {  // not: dirty, and what is kept beside the rows
  return std::tie(v.generation, v.policy, v.phase, v.reason, v.epoch, v.since, v.last_flip,
                  v.numbers, v.evaluated_at, v.flips, v.quarantined, v.breach, v.grid, v.members,
                  v.hosts, v.holdings, v.transfers, v.resource_group, v.shadow, v.demand);
}
template <Of<PolicyState> V>
auto fields(V& v) {
  return std::tie(v.config, v.configured, v.open, v.chosen, v.provider, v.allocation);
}
template <Of<LentSlots> V>
auto fields(V& v) {
  return std::tie(v.lender, v.slots);
}
template <Of<PlanWork> V>
auto fields(V& v) {
  return std::tie(v.grants, v.beside);
}
template <Of<PlanConsumerLedger> V>
auto fields(V& v) {
  return std::tie(v.path, v.configured, v.reason, v.numbers, v.evaluated_at, v.loans, v.gained_at,
                  v.backoff_until, v.backoffs, v.work);
}
template <Of<PairFlips> V>
auto fields(V& v) {
  return std::tie(v.from, v.to, v.flips, v.moved_at, v.in_a_row);
}
/// The consumers are left out, since an evaluation changes few of them, and what waits for the next
/// evaluation.
template <Of<ResourceGroupLedger> V>
auto own_fields(V& v) {  // not: dirty, and what derive() computes
  return std::tie(v.name, v.configured, v.variant, v.grid, v.pairs, v.evaluated_at);
}
template <Of<ResourceGroupLedger> V>
auto fields(V& v) {
  return std::tuple_cat(own_fields(v), std::tie(v.evaluate_flag, v.react_at, v.consumers));
}
/// Fields that change from evaluation to evaluation without anything to record are left out.
template <Of<Grid> V>
auto own_fields(V& v) {
  return std::tie(v.delay_ms, v.anchor);
}
template <Of<Grid> V>
auto fields(V& v) {
  return std::tuple_cat(own_fields(v), std::tie(v.next, v.last, v.changed, v.cursor));
}
template <Of<Deadline> V>
auto fields(V& v) {
  return std::tie(v.at, v.group, v.transfer);
}
template <Of<Returning> V>
auto fields(V& v) {
  return std::tie(v.group, v.cluster, v.reason);
}
/// Values that exist once, except the configuration and freeze_ahead, which came later; `now` is
/// the time of the last event.
template <Of<State> V>
auto own_fields(V& v) {
  return std::tie(v.started, v.incarnation, v.generation_next, v.transfer_next, v.frozen,
                  v.freeze_order);
}
template <Of<State> V>
auto fields(V& v) {  // not: what derive() computes, and the four dirty marks
  return std::tuple_cat(own_fields(v),
                        std::tie(v.now, v.config, v.windows, v.clusters, v.policies, v.slot_groups,
                                 v.grids, v.deadlines, v.returning, v.returned, v.returning_next,
                                 v.resource_groups, v.freeze_ahead));
}

}  // namespace leasehold
