// Finds what a reload would do by applying it to a copy of the state, with the core itself. Under a
// resource plan slots move all the time, so the result is compared with a reload that changes
// nothing.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/step.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "broker/views/plan/json.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

/// Slots that a plan takes from running work.
struct Reclaim {
  std::string to;
  int64_t slots = 0;
  int64_t grace_ms = 0;
  Reason reason = Reason::none;
};

struct Change {
  std::string resource_group;  // "": a lease without a plan
  std::string provider;
  std::string consumer;
  int64_t before = 0;
  int64_t after = 0;
  int64_t used_losing = 0;  // slots that run the consumer's jobs and are to go back
  std::vector<Reclaim> reclaims;
};

using Changes = std::map<std::string, Change>;

struct RowEnd {
  int32_t slots = 0;  // of the row that the lease will have in the end
  int32_t used = 0;   // of its work, those that it has not given up already
};

RowEnd end_of_row(const SlotGroup& group, size_t row, uint32_t member) {
  if (is_over(group) || row >= group.hosts.size() || member == kNoIndex) return {};
  const Holding& holding = group.at(row, member);
  if (group.resource_group == kNoIndex) return {group.hosts[row].target, holding.used};
  return {holding.due, std::min(holding.used, holding.due)};
}

int64_t slots_due(const SlotGroup& group, uint32_t member) {
  int64_t sum = 0;
  for (size_t row = 0; row < group.hosts.size(); ++row) sum += end_of_row(group, row, member).slots;
  return sum;
}

int64_t slots_offered(const SlotGroup& group) {
  int64_t sum = 0;
  for (const HostLedger& host : group.hosts) sum += is_over(group) ? 0 : host.target;
  return sum;
}

int64_t used_losing(const SlotGroup& before, uint32_t member, const SlotGroup& after) {
  const uint32_t later = member_of(after, before.members[member].cluster);
  int64_t sum = 0;
  for (size_t row = 0; row < before.hosts.size(); ++row) {
    const int32_t left = end_of_row(after, row, later).slots;
    const RowEnd end = end_of_row(before, row, member);
    if (left < end.slots) sum += std::max(0, end.used - left);
  }
  return sum;
}

Change& change_of(Changes& changes, const State& state, const LeaseRef& lease) {
  const SlotGroup& group = state.slot_groups[lease.group];
  Change& change = changes[lease_id(state, group, lease.member)];
  if (group.resource_group != kNoIndex) {
    change.resource_group = state.resource_groups[group.resource_group].name;
  }
  change.provider = rows::cluster_name(state, group, kProvider);
  change.consumer = rows::cluster_name(state, group, lease.member);
  return change;
}

/// Two reclaims with equal members, grace and reason count as the same.
using Ends = std::tuple<uint16_t, uint16_t, int64_t, Reason>;

std::map<Ends, int64_t> reclaims_of(const SlotGroup& group) {
  std::map<Ends, int64_t> slots;
  for (const Transfer& t : group.transfers) {
    if (t.lowering != wire::Lowering::reclaim) continue;
    slots[{t.from, t.to, t.grace_ms, t.reason}] += t.slots_wanted;
  }
  return slots;
}

/// Compares the reclaims of a group before and after. A group that stays keeps its members' places.
void add_reclaims(Changes& changes, const State& before, const SlotGroup& group, const State& after,
                  const SlotGroup& later) {
  const std::map<Ends, int64_t> known = reclaims_of(group);
  for (const auto& [ends, slots] : reclaims_of(later)) {
    const auto same = known.find(ends);
    const int64_t more = slots - (same == known.end() ? 0 : same->second);
    const auto [from, to, grace_ms, reason] = ends;
    if (more <= 0 || from >= group.members.size()) continue;
    if (group.members[from].plan_consumer == kNoIndex) continue;
    const uint32_t claimant = to == kNoMember ? kNoIndex : later.members[to].plan_consumer;
    std::string path = claimant == kNoIndex
                           ? ""
                           : after.resource_groups[later.resource_group].consumers[claimant].path;
    changes[lease_id(before, group, from)].reclaims.push_back(
        {std::move(path), more, grace_ms, reason});
  }
}

void add_before(Changes& changes, const State& before, const State& after) {
  for (uint32_t g = 0; g < before.slot_groups.size(); ++g) {
    const SlotGroup& group = before.slot_groups[g];
    if (group.phase == Phase::closed) continue;
    const uint32_t later = find_slot_group(after, group.generation);
    for (const LeaseRef& lease : leases_of(before, g)) {
      Change& change = change_of(changes, before, lease);
      change.before += slots_due(group, lease.member);
      if (later == kNoIndex) continue;
      change.used_losing += used_losing(group, lease.member, after.slot_groups[later]);
    }
    if (later != kNoIndex) add_reclaims(changes, before, group, after, after.slot_groups[later]);
  }
}

bool is_new_plan(const State& before, const ResourceGroupLedger& plan) {
  const uint32_t known = find_resource_group(before, plan.name);
  return plan.configured && (known == kNoIndex || !before.resource_groups[known].configured);
}

/// Returns the provider's jobs' slots among those that it would export: its jobs use its own slots
/// first.
int64_t runs_at_home(const State& after, const SlotGroup& group, const Liveness& liveness) {
  const auto known = liveness.clusters.find(rows::cluster_name(after, group, kProvider));
  if (known == liveness.clusters.end()) return 0;
  int64_t sum = 0;
  for (size_t row = 0; row < group.hosts.size(); ++row) {
    const wire::HostFacts& facts = rows::facts(after, group, row);
    const auto used = known->second.used_by_host.find(facts.name);
    if (used == known->second.used_by_host.end()) continue;
    const int32_t target = group.hosts[row].target;
    sum += std::clamp(used->second - (facts.slots - target), 0, target);
  }
  return sum;
}

/// Work on the slots counts for its provider's leaf; without such a leaf those slots are not the
/// plan's yet.
void add_home(PlanState& state, const Plan& plan, const State& after, const SlotGroup& group,
              const Liveness& liveness) {
  const int64_t runs = runs_at_home(after, group, liveness);
  *state.slots += slots_offered(group);
  for (uint32_t c = 0; c < plan.consumers.size(); ++c) {
    if (plan.consumers[c].cluster != rows::cluster_name(after, group, kProvider)) continue;
    state.leaves[c].allocated += runs;
    state.leaves[c].demand += runs;
    return;
  }
  *state.slots -= runs;
}

/// Adds a new plan, whose slots are not offered yet: what its leaves would be due for the work that
/// waits or runs there already, and what running work would lose.
void add_new_plan(Changes& changes, const State& after, const ResourceGroupLedger& ledger,
                  const Liveness& liveness) {
  const Plan* plan = plan_in_force(after, ledger);
  if (plan == nullptr || ledger.slot_groups.empty()) return;
  PlanState state;
  state.slots = 0;
  for (const PlanConsumer& consumer : plan->consumers) {
    const uint32_t cluster = find_cluster(after, consumer.cluster);
    state.leaves.emplace_back();
    if (cluster != kNoIndex) state.leaves.back().demand = after.clusters[cluster].pending;
  }
  for (const uint32_t g : ledger.slot_groups) {
    add_home(state, *plan, after, after.slot_groups[g], liveness);
  }
  const std::string& provider =
      rows::cluster_name(after, after.slot_groups[ledger.slot_groups.front()], kProvider);
  const auto lease_of = [&](uint32_t consumer) {
    return ledger.name + ":" + plan->consumers[consumer].path;
  };
  const PlanAnswer answer = evaluate_plan(*plan, state);
  for (const PlanRow& row : answer.rows) {
    const PlanConsumer& consumer = plan->consumers[row.consumer];
    if (consumer.cluster.empty()) continue;
    changes[lease_of(row.consumer)] = {ledger.name, provider,  consumer.cluster,
                                       0,           row.quota, std::max<int64_t>(0, -row.change),
                                       {}};
  }
  for (const PlanMove& move : answer.moves) {
    if (!move.reclaim()) continue;
    const std::string to = move.to == kNoIndex ? "" : plan->consumers[move.to].path;
    changes[lease_of(move.from)].reclaims.push_back({to, move.slots, move.grace_ms, move.reason});
  }
}

Changes compare(const State& before, const State& after, const Liveness& liveness) {
  Changes changes;
  add_before(changes, before, after);
  std::set<uint32_t> added;  // groups of new plans
  for (const ResourceGroupLedger& plan : after.resource_groups) {
    if (!is_new_plan(before, plan)) continue;
    add_new_plan(changes, after, plan, liveness);
    added.insert(plan.slot_groups.begin(), plan.slot_groups.end());
  }
  for (uint32_t g = 0; g < after.slot_groups.size(); ++g) {
    const SlotGroup& group = after.slot_groups[g];
    if (group.phase == Phase::closed || added.contains(g)) continue;
    for (const LeaseRef& lease : leases_of(after, g)) {
      change_of(changes, after, lease).after += slots_due(group, lease.member);
    }
  }
  return changes;
}

State stepped(State state, const ConfigLoaded& loaded, Instant now) {
  Effects effects;
  step(state, loaded, now, effects);
  return state;
}

Json reclaims_json(const Change& change, int64_t leeway_ms) {
  Json list = Json::array();
  for (const Reclaim& reclaim : change.reclaims) {
    list.push_back({{"to", rows::text_or_null(reclaim.to)},
                    {"slots", reclaim.slots},
                    {"grace_s", seconds_json(reclaim.grace_ms)},
                    {"worst_wait_s", seconds_json(reclaim.grace_ms + leeway_ms)},
                    {"reason", token(reclaim.reason)}});
  }
  return list;
}

}  // namespace

Json view_reload(const State& state, const ConfigLoaded& loaded, Instant now,
                 const Liveness& liveness) {
  const bool plans = std::any_of(state.resource_groups.begin(), state.resource_groups.end(),
                                 [](const ResourceGroupLedger& plan) { return plan.configured; });
  const ConfigLoaded unchanged{state.config, state.windows, loaded.by};
  const State before = plans ? stepped(state, unchanged, now) : state;
  const State after = stepped(state, loaded, now);
  Json list = Json::array();
  for (const auto& [lease, change] : compare(before, after, liveness)) {
    const bool same = change.before == change.after && change.reclaims.empty();
    if (same && change.used_losing == 0) continue;
    list.push_back({{"lease", lease},
                    {"resource_group", rows::text_or_null(change.resource_group)},
                    {"provider", change.provider},
                    {"consumer", change.consumer},
                    {"slots_before", change.before},
                    {"slots_after", change.after},
                    {"slots_used_losing", change.used_losing},
                    {"reclaims", reclaims_json(change, loaded.config.leeway_ms)}});
  }
  return list;
}

}  // namespace leasehold
