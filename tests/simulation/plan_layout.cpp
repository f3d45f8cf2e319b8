#include "tests/simulation/plan_layout.hpp"

#include <algorithm>

namespace leasehold::simulation {

namespace {

constexpr const char* kGroup = "compute";

Plan plan_for(Chance& chance, const Layout& layout, PlanPolicy policy) {
  Plan plan;
  plan.name = kGroup;
  plan.policy = policy;
  plan.placement = static_cast<Placement>(chance.below(3));
  plan.reclaim_shared = !chance.one_in(4);
  plan.evenly_distribute = policy == PlanPolicy::hybrid && chance.one_in(3);
  if (chance.one_in(4)) {
    plan.min_hold_ms = chance.between(0, 600) * 1000;
    plan.dead_zone_slots = chance.below(2);
    plan.max_share_moved_ppm = 1'000'000 / chance.between(1, 4);
    plan.reclaim_backoff_ms = chance.between(0, 300) * 1000;
  }
  const bool branched = chance.one_in(2);
  if (branched) {
    PlanConsumer branch;
    branch.path = "/branch";
    if (chance.one_in(3)) branch.limit = chance.between(2, 8);
    plan.consumers.push_back(std::move(branch));
  }
  for (const ClusterLayout& cluster : layout.clusters) {
    const bool below = branched && (plan.consumers.size() == 1 || chance.one_in(2));
    PlanConsumer leaf;
    leaf.path = (below ? "/branch/" : "/") + cluster.name;
    if (below) leaf.parent = 0;
    leaf.cluster = cluster.name;
    leaf.owned = chance.below(4);
    leaf.rank = chance.below(3);
    leaf.reclaim_grace_ms = chance.one_in(2) ? chance.between(1, 300) * 1000 : 0;
    if (chance.one_in(4)) leaf.limit = chance.between(1, 6);
    if (policy == PlanPolicy::ownership) {
      leaf.lend_limit = chance.below(4);
      if (chance.one_in(2)) leaf.borrow_from = ConsumerList{true, {}, {}};
    }
    plan.consumers.push_back(std::move(leaf));
  }
  return plan;
}

/// Draws other numbers of the same consumers, several times a day.
void draw_windows(Chance& chance, ResourceGroup& group) {
  Plan other = group.variants.front();
  for (PlanConsumer& leaf : other.consumers) {
    leaf.owned = chance.below(5);
    if (leaf.limit) leaf.limit = chance.between(1, 6);
  }
  group.variants.push_back(std::move(other));
  constexpr int kMinutesOfWeek = 7 * 24 * 60;
  const auto every = static_cast<int>(chance.between(30, 400));
  uint32_t variant = 0;
  for (int minute = 0; minute < kMinutesOfWeek; minute += every, variant = 1 - variant) {
    group.week.push_back({minute, variant});
  }
}

}  // namespace

void keep_out_of_leases(BrokerConfig& config) {
  for (const ResourceGroup& group : config.resource_groups) {
    for (ExportPolicy& policy : config.policies) {
      const auto& names = group.policies;
      if (std::find(names.begin(), names.end(), policy.name) == names.end()) continue;
      policy.distribution.clear();
    }
  }
}

void draw_plan(Chance chance, Layout& layout) {
  if (!chance.one_in(3)) return;
  ResourceGroup group;
  group.name = kGroup;
  group.cycle_ms = chance.between(5, 60) * 1000;
  for (const ExportPolicy& policy : layout.config.policies) {
    if (group.policies.empty() || chance.one_in(2)) group.policies.push_back(policy.name);
  }
  if (group.policies.empty()) return;
  const auto policy = static_cast<PlanPolicy>(chance.below(3));
  group.variants = {plan_for(chance, layout, policy)};
  if (chance.one_in(2)) draw_windows(chance, group);
  layout.config.resource_groups.push_back(std::move(group));
  keep_out_of_leases(layout.config);
  for (ClusterLayout& cluster : layout.clusters) cluster.chooses = chance.one_in(2);
}

void redraw_plan(Chance chance, const Layout& layout, BrokerConfig& config) {
  for (ResourceGroup& group : config.resource_groups) {
    const PlanPolicy policy = group.variants.front().policy;
    group.variants = {plan_for(chance, layout, policy)};
    std::vector<PlanConsumer>& leaves = group.variants.front().consumers;
    if (leaves.size() > 2 && chance.one_in(4)) leaves.pop_back();
    group.week.clear();
    if (chance.one_in(2)) draw_windows(chance, group);
  }
}

std::string any_lease(const BrokerConfig& config) {
  const ExportPolicy& policy = config.policies.front();
  if (!policy.distribution.empty()) return policy.name + ":" + policy.distribution[0].cluster;
  if (config.resource_groups.empty()) return policy.name;
  const ResourceGroup& group = config.resource_groups.front();
  const std::string lease = group.name + ":" + group.variants.front().consumers.back().path;
  return group.policies.size() > 1 ? lease + "@" + policy.name : lease;
}

}  // namespace leasehold::simulation
