#include "broker/config/plan/variants.hpp"

#include <algorithm>

#include "broker/config/plan/moments.hpp"
#include "broker/config/week.hpp"

namespace leasehold {

namespace {

/// If no window names days, the changes of the first day stand for those of every day.
std::vector<PlanChange> of_whole_week(std::vector<PlanChange> changes) {
  if (changes.empty() || changes.back().minute >= kMinutesOfDay) return changes;
  std::vector<PlanChange> week;
  for (int day = 0; day < 7; ++day) {
    for (const PlanChange& change : changes) {
      week.push_back({day * kMinutesOfDay + change.minute, change.variant});
    }
  }
  return week;
}

/// A change to what is already in force is dropped; a single one that is not [0] holds all the
/// time.
std::vector<PlanChange> without_repeats(const std::vector<PlanChange>& week) {
  std::vector<PlanChange> changes;
  for (size_t i = 0; i < week.size(); ++i) {
    const PlanChange& before = i == 0 ? week.back() : week[i - 1];
    if (before.variant != week[i].variant) changes.push_back(week[i]);
  }
  if (changes.empty() && !week.empty() && week.front().variant != 0) changes = {week.front()};
  return changes;
}

void add_week(const PlanTree& tree, ResourceGroup& group, Findings& findings) {
  for (const PlanMoment& moment : plan_moments(tree)) {
    if (moment.plan == group.variants.size()) {
      group.variants.push_back(plan_at(tree, moment.minute));
    }
    group.week.push_back({moment.minute, static_cast<uint32_t>(moment.plan)});
    if (group.variants.size() * tree.nodes.size() <= kVariantRowsMost) continue;
    findings.error(tree.group->written.at(&ResourceGroup::name),
                   "the windows of resource group " + in_quotes(group.name) + " make more than " +
                       std::to_string(group.variants.size() - 1) + " different plans of " +
                       std::to_string(tree.nodes.size()) +
                       " consumers; let more windows begin and end at the same times");
    return;
  }
  group.week = without_repeats(of_whole_week(std::move(group.week)));
}

}  // namespace

ResourceGroup resource_group_of(const PlanTree& tree, Findings& findings) {
  ResourceGroup group = tree.group->own;
  group.variants.push_back(plan_at(tree, std::nullopt));
  add_week(tree, group, findings);
  return group;
}

}  // namespace leasehold
