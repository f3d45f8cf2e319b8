// The members of configuration, wire and event values, in the order in which they are written. For
// this folder's codecs only (event_codec_bytes.hpp).
#pragma once

#include "broker/core/model/event.hpp"
#include "broker/record/event_codec_bytes.hpp"

namespace leasehold::bytes {

template <>
inline constexpr int kValues<Mode> = static_cast<int>(kTokensOf<Mode>.size());
template <>
inline constexpr int kValues<LeaseType> = static_cast<int>(kTokensOf<LeaseType>.size());
template <>
inline constexpr int kValues<LeaseUnit> = static_cast<int>(kTokensOf<LeaseUnit>.size());
template <>
inline constexpr int kValues<RuleKind> = static_cast<int>(kTokensOf<RuleKind>.size());
template <>
inline constexpr int kValues<Command> = static_cast<int>(kTokensOf<Command>.size());
template <>
inline constexpr int kValues<DrainSide> = 3;
template <>
inline constexpr int kValues<wire::Lowering> = 3;
template <>
inline constexpr int kValues<wire::TimeClass> = static_cast<int>(wire::kTimeClasses);
template <>
inline constexpr int kValues<wire::Division> = static_cast<int>(kTokensOf<wire::Division>.size());
template <>
inline constexpr int kValues<wire::NotUp> = static_cast<int>(kTokensOf<wire::NotUp>.size());
template <>
inline constexpr int kValues<Reason> = kReasonCount;
template <>
inline constexpr int kValues<wire::Fate> = static_cast<int>(kTokensOf<wire::Fate>.size());

template <>
inline constexpr int kValues<PlanPolicy> = static_cast<int>(kTokensOf<PlanPolicy>.size());
template <>
inline constexpr int kValues<Placement> = static_cast<int>(kTokensOf<Placement>.size());
template <>
inline constexpr int kValues<ShareEnforcement> =
    static_cast<int>(kTokensOf<ShareEnforcement>.size());

template <>
inline constexpr size_t kAddedLater<ExportPolicy> = 6;
template <>
inline constexpr size_t kAddedLater<ResourceGroup> = 1;
template <>
inline constexpr size_t kAddedLater<BrokerStarted> = 1;
template <>
inline constexpr size_t kAddedLater<StateReported> = 2;
template <>
inline constexpr size_t kAddedLater<OperatorCommand> = 2;
template <>
inline constexpr size_t kAddedLater<wire::DemandBucket> = 1;
template <>
inline constexpr size_t kAddedLater<wire::HostState> = 1;
template <>
inline constexpr size_t kAddedLater<wire::HostFacts> = 3;
template <>
inline constexpr size_t kAddedLater<wire::Ending> = 1;
template <>
inline constexpr size_t kAddedLater<wire::EndedWork> = 2;

template <class T>
constexpr bool kept_all(size_t left_out = 0) {
  return std::tuple_size_v<decltype(fields(std::declval<T&>()))> + left_out == member_count<T>();
}

}  // namespace leasehold::bytes

namespace leasehold {

using bytes::Of;

template <Of<Interval> V>
auto fields(V& v) {
  return std::tie(v.from, v.to);
}
template <Of<Source> V>
auto fields(V& v) {
  return std::tie(v.file, v.line);
}
template <Of<Share> V>
auto fields(V& v) {
  return std::tie(v.cluster, v.shares);
}
template <Of<WeekWindow> V>
auto fields(V& v) {
  return std::tie(v.days, v.from_min, v.to_min);
}
template <Of<ClusterConfig> V>
auto fields(V& v) {
  return std::tie(v.name, v.public_key, v.reclaim_delay_ms, v.source);
}
template <Of<ExportPolicy> V>
auto fields(V& v) {
  return std::tie(v.name, v.provider, v.hosts, v.slots_per_host, v.select, v.nhosts, v.distribution,
                  v.type, v.rule, v.initial_slots, v.reclaim_grace_ms, v.mem_mb, v.swap_mb,
                  v.reselect, v.windows, v.timezone, v.source, v.by_host, v.shadow, v.min_hold_ms,
                  v.use_by_ms, v.provider_first, v.unit, v.rule_by_default);
}
template <Of<SharedResource> V>
auto fields(V& v) {
  return std::tie(v.name, v.provider, v.instances, v.distribution, v.source);
}
template <Of<ConsumerList> V>
auto fields(V& v) {
  return std::tie(v.everyone, v.consumers, v.unknown);
}
template <Of<PlanConsumer> V>
auto fields(V& v) {
  return std::tie(v.path, v.parent, v.cluster, v.policy, v.rank, v.owned, v.reserved, v.limit,
                  v.lend_limit, v.lend_to, v.borrow_limit, v.borrow_from, v.share_ratio,
                  v.share_limit, v.reclaim_grace_ms, v.rebalance, v.select);
}
template <Of<Plan> V>
auto fields(V& v) {
  return std::tie(v.name, v.policy, v.slots, v.placement, v.reclaim_before_borrow, v.reclaim_shared,
                  v.share_enforcement, v.evenly_distribute, v.disable_reclaim_hybrid_own,
                  v.use_ancestor_grace_period, v.siblings_only, v.default_rank, v.net_policy_switch,
                  v.min_hold_ms, v.max_share_moved_ppm, v.dead_zone_slots, v.reclaim_backoff_ms,
                  v.consumers);
}
template <Of<PlanChange> V>
auto fields(V& v) {
  return std::tie(v.minute, v.variant);
}
template <Of<ResourceGroup> V>
auto fields(V& v) {
  return std::tie(v.name, v.policies, v.cycle_ms, v.variants, v.week, v.timezone, v.source,
                  v.react_ms, v.use_by_ms);
}
template <Of<BrokerConfig> V>
auto fields(V& v) {
  return std::tie(v.name, v.mode, v.reclaim_delay_ms, v.agent_timeout_ms, v.transfer_timeout_ms,
                  v.leeway_ms, v.clusters, v.policies, v.resources, v.lease_ttl_ms,
                  v.resource_groups);
}
template <Of<ResolvedWindows::PolicyWindows> V>
auto fields(V& v) {
  return std::tie(v.policy, v.open);
}
template <Of<ResolvedWindows::PlanPeriod> V>
auto fields(V& v) {
  return std::tie(v.from, v.variant);
}
template <Of<ResolvedWindows::PlanWindows> V>
auto fields(V& v) {
  return std::tie(v.resource_group, v.periods);
}
template <Of<ResolvedWindows> V>
auto fields(V& v) {
  return std::tie(v.until, v.policies, v.plans);
}

template <Of<BrokerStarted> V>
auto fields(V& v) {
  return std::tie(v.incarnation, v.database_older, v.warm);
}
template <Of<ConfigLoaded> V>
auto fields(V& v) {
  return std::tie(v.config, v.windows, v.by, v.where, v.changes);
}
template <Of<WindowsResolved> V>
auto fields(V& v) {
  return std::tie(v.windows);
}
template <Of<AgentHello> V>
auto fields(V& v) {
  return std::tie(v.cluster, v.state_id, v.boot, v.session, v.has_state, v.self_expiring, v.fences,
                  v.program_version, v.state, v.lease_ms, v.identity, v.chooses, v.scheduling);
}
template <Of<AgentLost> V>
auto fields(V& v) {
  return std::tie(v.cluster, v.session, v.renewed_at, v.stopped);
}
template <Of<InventoryReported> V>
auto fields(V& v) {
  return std::tie(v.cluster, v.session, v.hosts);
}
template <Of<InventoryChanged> V>
auto fields(V& v) {
  return std::tie(v.cluster, v.session, v.hosts, v.gone);
}
template <Of<RecordedLater> V>
auto fields(V& v) {
  return std::tie(v.cluster);
}
template <Of<TablesFailed> V>
auto fields(V& v) {
  return std::tie(v.over, v.why);
}
template <Of<WorkEnded> V>
auto fields(V& v) {
  return std::tie(v.cluster, v.work);
}
template <Of<SlotsUsed> V>
auto fields(V& v) {
  return std::tie(v.cluster, v.state_id, v.used);
}
template <Of<StateReported> V>
auto fields(V& v) {
  return std::tie(v.cluster, v.session, v.pending, v.degraded, v.state, v.lease_ms, v.demand,
                  v.ending, v.idle_elsewhere, v.idle_beside);
}
template <Of<Tick> V>
auto fields(V& v) {
  return std::tie(v.silent);
}
template <Of<OperatorCommand> V>
auto fields(V& v) {
  return std::tie(v.command, v.by, v.lease, v.cluster, v.host, v.consumer, v.reclaim, v.half,
                  v.only_this, v.where, v.why, v.until, v.successor, v.from);
}
template <Of<OperatorRefused> V>
auto fields(V& v) {
  return std::tie(v.reason, v.by, v.where, v.verb, v.object, v.options, v.why, v.times);
}
template <Of<CopyRefused> V>
auto fields(V& v) {
  return std::tie(v.cluster, v.identity);
}
template <Of<ClockSet> V>
auto fields(V& v) {
  return std::tie(v.by);
}

}  // namespace leasehold

namespace leasehold::wire {

using bytes::Of;

template <Of<HostState> V>
auto fields(V& v) {
  return std::tie(v.host, v.limit, v.used, v.up, v.exported, v.division);
}
template <Of<GroupState> V>
auto fields(V& v) {
  return std::tie(v.generation, v.seq, v.ever_used, v.breach, v.first, v.count);
}
template <Of<EndedWork> V>
auto fields(V& v) {
  return std::tie(v.number, v.job, v.fate, v.generation, v.reason, v.slots, v.told_ms, v.ended_ms,
                  v.exit_code, v.user, v.session, v.account);
}
template <Of<UsedBy> V>
auto fields(V& v) {
  return std::tie(v.session, v.user, v.account, v.slot_ms);
}
template <Of<UsedSlots> V>
auto fields(V& v) {
  return std::tie(v.number, v.generation, v.since_ms, v.until_ms, v.by, v.others_slot_ms,
                  v.unnamed_slot_ms);
}
template <Of<StateBlock> V>
auto fields(V& v) {
  return std::tie(v.groups, v.hosts);
}
template <Of<DemandBucket> V>
auto fields(V& v) {
  return std::tie(v.slots_per_host, v.hosts, v.limit, v.oldest_ms, v.jobs, v.slots, v.host_types,
                  v.whole);
}
template <Of<EndingSlots> V>
auto fields(V& v) {
  return std::tie(v.left, v.slots);
}
template <Of<Ending> V>
auto fields(V& v) {
  return std::tie(v.slots, v.error_milli, v.longest_limit_ms);
}
template <Of<Horizon> V>
auto fields(V& v) {
  return std::tie(v.name, v.from_ms, v.until_ms);
}
template <Of<Fences> V>
auto fields(V& v) {
  return std::tie(v.memory, v.swap, v.resources);
}
template <Of<Identity> V>
auto fields(V& v) {
  return std::tie(v.machine, v.boot, v.file, v.process);
}
template <Of<Scheduling> V>
auto fields(V& v) {
  return std::tie(v.policy, v.criteria, v.preemption_scope, v.reclaim_optimization,
                  v.selective_reclaim);
}
template <Of<HostFacts> V>
auto fields(V& v) {
  return std::tie(v.name, v.type, v.model, v.slots, v.mem_mb, v.swap_mb, v.booleans,
                  v.numbers_milli, v.up, v.division, v.horizon, v.not_up);
}

}  // namespace leasehold::wire
