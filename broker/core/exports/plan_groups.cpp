#include "broker/core/exports/plan_groups.hpp"

#include <algorithm>
#include <unordered_map>

#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/ready_plan.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/rules/plan/tree.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

/// Consumers that the plan names stand in the ledger; the others there are no longer configured.
void take_consumers(ResourceGroupLedger& ledger, const Plan& plan) {
  PathPositions positions = positions_by_path(ledger);
  for (const PlanConsumer& named : plan.consumers) {
    const auto [found, added] =
        positions.emplace(named.path, static_cast<uint32_t>(ledger.consumers.size()));
    if (added) {
      ledger.consumers.emplace_back();
      ledger.consumers.back().path = named.path;
    }
    ledger.consumers[found->second].configured = true;
  }
}

void take_plan(Turn& turn, const ResourceGroup& group) {
  State& state = turn.state;
  uint32_t index = find_resource_group(state, group.name);
  if (index == kNoIndex) {
    index = static_cast<uint32_t>(state.resource_groups.size());
    state.resource_groups.emplace_back();
    state.resource_groups.back().name = group.name;
  }
  ResourceGroupLedger& ledger = state.resource_groups[index];
  ledger.configured = true;
  ledger.variant = variant_at(state, group.name, turn.now);
  ledger.grid = grid_of_delay(state, group.cycle_ms, turn.now);
  take_consumers(ledger, group.variants[ledger.variant]);
  queue_plan_evaluation(state, index);
}

}  // namespace

void take_plans(Turn& turn) {
  State& state = turn.state;
  for (ResourceGroupLedger& ledger : state.resource_groups) {
    ledger.configured = false;
    for (PlanConsumerLedger& consumer : ledger.consumers) consumer.configured = false;
  }
  for (const ResourceGroup& group : state.config.resource_groups) take_plan(turn, group);
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) touch_plan(turn, p);
  derive_plans(state);
}

namespace {

using Leaves = std::unordered_map<uint32_t, uint32_t>;

/// Returns each cluster's leaf as a position in the ledger.
Leaves leaf_of_cluster(const State& state, const ResourceGroupLedger& ledger, const Plan& plan) {
  Leaves leaves;
  const std::vector<uint32_t> positions = ledger_positions(ledger, plan);
  for (size_t c = 0; c < plan.consumers.size(); ++c) {
    if (plan.consumers[c].cluster.empty()) continue;
    const uint32_t cluster = find_cluster(state, plan.consumers[c].cluster);
    if (cluster != kNoIndex) leaves.emplace(cluster, positions[c]);
  }
  return leaves;
}

/// Returns the clusters of leaves, as the plan declares them.
std::vector<uint32_t> clusters_of(const State& state, const Plan& plan) {
  std::vector<uint32_t> clusters;
  for (const PlanConsumer& consumer : plan.consumers) {
    if (consumer.cluster.empty()) continue;
    const uint32_t cluster = find_cluster(state, consumer.cluster);
    if (cluster != kNoIndex) clusters.push_back(cluster);
  }
  return clusters;
}

uint32_t leaf_at(const Leaves& leaves, uint32_t cluster) {
  const auto leaf = leaves.find(cluster);
  return leaf == leaves.end() ? kNoIndex : leaf->second;
}

/// Adds columns to the holdings, which stand host by host.
void widen(SlotGroup& group, size_t members) {
  Holdings wider(group.hosts.size() * members);
  for (size_t row = 0; row < group.hosts.size(); ++row) {
    for (size_t m = 0; m < group.members.size(); ++m) wider[row * members + m] = group.at(row, m);
  }
  group.holdings = std::move(wider);
  group.holding_index.reset();
  group.members.resize(members);
}

void join(Turn& turn, uint32_t index, const std::vector<uint32_t>& clusters) {
  SlotGroup& group = turn.group(index);
  const size_t before = group.members.size();
  widen(group, before + clusters.size());
  for (size_t i = 0; i < clusters.size(); ++i) {
    Member& member = group.members[before + i];
    member.cluster = clusters[i];
    // A new member cannot hold anything of this generation, unless the database is an older one. A
    // cluster that greeted before it was a member was answered without the group.
    const bool greeted = turn.state.clusters[clusters[i]].contact == Contact::ok;
    member.known_since_start = member.trusted = !group.quarantined || greeted;
    turn.state.clusters[clusters[i]].slot_groups.push_back(index);
  }
  group_changed(turn, index);
  renew_configuration_of(turn, group);
}

void stand_for(Turn& turn, uint32_t index, size_t member, uint32_t consumer) {
  SlotGroup& group = turn.group(index);
  if (group.members[member].plan_consumer == consumer) return;
  group.members[member].plan_consumer = consumer;
  group.holding_index.reset();
  for (uint32_t row = 0; row < group.hosts.size() && consumer == kNoIndex; ++row) {
    group.at(row, member).due = 0;
  }
  group_changed(turn, index);
  renew_configuration(turn, group.members[member].cluster);
}

}  // namespace

Members plan_members(const State& state, uint32_t resource_group, uint32_t provider) {
  const ResourceGroupLedger& ledger = state.resource_groups[resource_group];
  const Plan& in_force = *plan_in_force(state, ledger);
  const Leaves leaves = leaf_of_cluster(state, ledger, in_force);
  std::vector<uint32_t> clusters = clusters_of(state, in_force);
  std::erase(clusters, provider);
  clusters.insert(clusters.begin(), provider);
  Members members(clusters.size());
  for (size_t m = 0; m < members.size(); ++m) {
    members[m].cluster = clusters[m];
    members[m].plan_consumer = leaf_at(leaves, clusters[m]);
    // Nobody holds anything of a generation that did not exist before.
    members[m].known_since_start = true;
  }
  return members;
}

void follow_plan(Turn& turn, uint32_t index) {
  const State& state = turn.state;
  const ResourceGroupLedger& ledger = state.resource_groups[turn.group(index).resource_group];
  const Plan* plan = plan_in_force(state, ledger);
  LEASEHOLD_CHECK(plan != nullptr, "a group that drains follows no plan");
  std::vector<uint32_t> missing;
  for (const uint32_t cluster : clusters_of(state, *plan)) {
    if (member_of(turn.group(index), cluster) == kNoIndex) missing.push_back(cluster);
  }
  if (!missing.empty()) join(turn, index, missing);
  const Leaves leaves = leaf_of_cluster(state, ledger, *plan);
  for (size_t m = 0; m < turn.group(index).members.size(); ++m) {
    stand_for(turn, index, m, leaf_at(leaves, turn.group(index).members[m].cluster));
  }
}

}  // namespace leasehold
