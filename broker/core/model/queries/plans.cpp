#include "broker/core/model/queries/plans.hpp"

#include <algorithm>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/ready_plan.hpp"

namespace leasehold {

uint32_t plan_of_policy(const State& state, const std::string& policy) {
  for (const ResourceGroup& group : state.config.resource_groups) {
    const auto& names = group.policies;
    if (std::find(names.begin(), names.end(), policy) == names.end()) continue;
    return find_resource_group(state, group.name);
  }
  return kNoIndex;
}

uint32_t variant_at(const State& state, const std::string& resource_group, Instant now) {
  for (const auto& windows : state.windows.plans) {
    if (windows.resource_group != resource_group || windows.periods.empty()) continue;
    const auto after = std::upper_bound(
        windows.periods.begin(), windows.periods.end(), now,
        [](Instant at, const ResolvedWindows::PlanPeriod& period) { return at < period.from; });
    return after == windows.periods.begin() ? windows.periods.front().variant
                                            : std::prev(after)->variant;
  }
  return 0;
}

Grace reclaim_grace(const State& state, const SlotGroup& group) {
  if (group.resource_group != kNoIndex) {
    return {0, state.resource_groups[group.resource_group].grace_most_ms};
  }
  const int64_t grace_ms = state.policies[group.policy].config.reclaim_grace_ms;
  return {grace_ms, grace_ms};
}

bool decides_in_hosts(const State& state, const ResourceGroupLedger& ledger, const Plan& plan) {
  if (plan.placement == Placement::exclusive) return true;
  return std::any_of(ledger.slot_groups.begin(), ledger.slot_groups.end(), [&](uint32_t g) {
    const SlotGroup& group = state.slot_groups[g];
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      if (group.hosts[row].target > 0 && indivisible(state, group, row)) return true;
    }
    return false;
  });
}

bool takes_part(const State& state, const SlotGroup& group) {
  const bool open = group.phase == Phase::active;  // no plan makes a lease inactive
  return open && !group.quarantined && !group.breach && member_takes_part(state, group, kProvider);
}

bool member_takes_part(const State& state, const SlotGroup& group, size_t member) {
  const bool in_contact = connected(state, group, member) && group.members[member].reported;
  return in_contact && !state.clusters[group.members[member].cluster].degraded;
}

int32_t plan_slots(const State& state, const SlotGroup& group, uint32_t row) {
  const HostLedger& ledger = group.hosts[row];
  const Holding& home = group.at(row, kProvider);
  const bool observe = state.config.mode == Mode::observe;
  int32_t kept = observe ? 0 : ledger.just_exported;
  if (group.members[kProvider].plan_consumer == kNoIndex) {
    kept = observe ? std::min(home.used, home.held) : home.held;
  }
  return std::max(0, std::min(ledger.exported, ledger.target) - kept);
}

bool row_counts(const State& state, const SlotGroup& group, uint32_t row) {
  return takes_part(state, group) && row_is_there(state, group, row);
}

bool row_is_there(const State& state, const SlotGroup& group, uint32_t row) {
  const bool up = group.at(row, kProvider).up || group.quarantined;
  return group.phase == Phase::active && up && host_of(state, group, row).present;
}

namespace {

void derive_plan(const State& state, ResourceGroupLedger& ledger) {
  ledger.slot_groups.clear();
  ledger.grace_most_ms = 0;
  ledger.ready = nullptr;
  for (PlanConsumerLedger& consumer : ledger.consumers) consumer.priority = kNoIndex;
  const Plan* plan = plan_in_force(state, ledger);
  if (plan == nullptr) return;
  for (const Plan& variant : resource_group(state, ledger.name)->variants) {
    for (const PlanConsumer& consumer : variant.consumers) {
      ledger.grace_most_ms = std::max(ledger.grace_most_ms, consumer.reclaim_grace_ms);
    }
  }
  ledger.ready = make_ready(state, ledger, *plan);
  const CompiledPlan& compiled = *ledger.ready->compiled;
  for (uint32_t i = 0; i < compiled.order().leaves.size(); ++i) {
    const uint32_t at = ledger.ready->ledger[compiled.nodes[compiled.order().leaves[i]].consumer];
    if (at != kNoIndex) ledger.consumers[at].priority = i;
  }
}

/// Returns the place of the group's policy in its resource group.
size_t declared_place(const State& state, uint32_t group) {
  const SlotGroup& of = state.slot_groups[group];
  const ResourceGroup* configured =
      resource_group(state, state.resource_groups[of.resource_group].name);
  if (configured == nullptr) return 0;
  const auto& names = configured->policies;
  return static_cast<size_t>(
      std::find(names.begin(), names.end(), state.policies[of.policy].config.name) - names.begin());
}

}  // namespace

void derive_plans(State& state) {
  if (state.resource_groups.empty()) return;
  for (ResourceGroupLedger& ledger : state.resource_groups) derive_plan(state, ledger);
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.resource_group == kNoIndex || group.phase == Phase::closed) continue;
    state.resource_groups[group.resource_group].slot_groups.push_back(g);
  }
  for (ResourceGroupLedger& ledger : state.resource_groups) {
    std::stable_sort(ledger.slot_groups.begin(), ledger.slot_groups.end(),
                     [&](uint32_t a, uint32_t b) {
                       return declared_place(state, a) < declared_place(state, b);
                     });
  }
}

void queue_plan_evaluation(State& state, uint32_t resource_group) {
  state.resource_groups[resource_group].evaluate_flag = true;
}

}  // namespace leasehold
