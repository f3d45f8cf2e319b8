#include "broker/core/lease/gate.hpp"

#include <algorithm>

#include "broker/core/exports/offer.hpp"
#include "broker/core/ledger/transfer_end.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

bool any_common_host(const State& state, const SlotGroup& group) {
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (!common_up(group, row)) continue;
    if (cluster_drains(state, group, kConsumer) || consumer_cap(state, group, row) > 0) return true;
  }
  return false;
}

/// True if every host that the lease could have may not be split, and the policy exports a part of
/// it.
bool lends_parts_alone(const State& state, const SlotGroup& group) {
  bool any = false;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.hosts[row].target > 0) return false;
    any = any || lends_no_part(state, group, row);
  }
  return any;
}

/// True if all hosts that the lease could have and both sides call up are closed to the consumer
/// for reservations ahead.
bool all_reserved(const State& state, const SlotGroup& group) {
  bool any = false;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (!common_up(group, row) || row_drains(state, group, kConsumer, row)) continue;
    if (!reserved_from(state, group, kConsumer, row)) return false;
    any = true;
  }
  return any;
}

bool any_degraded(const State& state, const SlotGroup& group) {
  return std::any_of(group.members.begin(), group.members.end(),
                     [&](const Member& member) { return state.clusters[member.cluster].degraded; });
}

bool all_current(const State& state, const SlotGroup& group) {
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (!current(state, group, m)) return false;
  }
  return true;
}

Reason gate_of_plan(const State& state, const SlotGroup& group) {
  if (state.frozen) return Reason::frozen;
  const bool drains = state.clusters[group.members[kProvider].cluster].draining_exports;
  return drains ? Reason::cluster_draining : Reason::none;
}

}  // namespace

Reason gate(const State& state, const SlotGroup& group) {
  if (group.phase == Phase::closed) return Reason::closed;
  if (group.phase == Phase::draining) return Reason::draining;
  if (group.quarantined) return Reason::quarantine;
  if (group.breach && !LEASEHOLD_CANARY(ignores_breach)) return Reason::breach;
  if (group.resource_group != kNoIndex) return gate_of_plan(state, group);
  if (any_degraded(state, group)) return Reason::degraded;
  if (group.phase == Phase::inactive) {
    return all_current(state, group) || is_inactive(group) ? Reason::inactive
                                                           : Reason::report_missing;
  }
  if (!all_current(state, group)) return Reason::report_missing;
  if (state.frozen) return Reason::frozen;
  if (!any_common_host(state, group)) {
    if (group.members[kConsumer].window_ends) return Reason::draining;
    if (all_reserved(state, group)) return Reason::host_reserved;
    return lends_parts_alone(state, group) ? Reason::host_indivisible : Reason::no_common_host;
  }
  if (!can_fence(state, group)) return Reason::cannot_fence;
  const bool made = group.phase != Phase::offered || state.config.mode == Mode::observe;
  if (!made) return Reason::not_made;
  return cluster_drains(state, group, kConsumer) ? Reason::cluster_draining : Reason::none;
}

Reason answer_of_plan(const State& state, const SlotGroup& group) {
  if (!group.transfers.empty()) return Reason::inactive;
  return current(state, group, kProvider) ? Reason::at_quota : Reason::report_missing;
}

}  // namespace leasehold
