#include "broker/config/plan/elsewhere.hpp"

#include <algorithm>

#include "broker/config/plan/check.hpp"
#include "broker/config/plan/variants.hpp"

namespace leasehold {

namespace {

Drafts drafts_of(const NamesElsewhere& names) {
  Drafts drafts;
  for (const std::string& cluster : names.clusters) {
    drafts.clusters.emplace_back();
    drafts.clusters.back().cluster.name = cluster;
  }
  for (const std::string& policy : names.policies) {
    drafts.policies.emplace_back();
    drafts.policies.back().policy.name = policy;
  }
  return drafts;
}

}  // namespace

bool plan_names(const Loaded& loaded, const std::string& policy) {
  for (const PlanTree& tree : loaded.plans.trees()) {
    const auto& names = tree.group->own.policies;
    if (std::find(names.begin(), names.end(), policy) != names.end()) return true;
  }
  return false;
}

std::vector<ResourceGroup> resource_groups_of(const Loaded& loaded, const std::string& file,
                                              const NamesElsewhere& names,
                                              std::vector<Error>& errors) {
  std::vector<ResourceGroup> groups;
  Findings findings;
  findings.errors = loaded.errors;
  if (findings.errors.empty() && loaded.plans.empty()) {
    findings.error({file, {}},
                   "names no [[resource_group]]; a plan has one, and its "
                   "[[consumer]]s");
  }
  if (findings.errors.empty()) {
    check_plan_members(loaded.plans.trees(), drafts_of(names), findings);
  }
  if (findings.errors.empty()) {
    for (const PlanTree& tree : loaded.plans.trees()) {
      groups.push_back(resource_group_of(tree, findings));
    }
  }
  errors.insert(errors.end(), findings.errors.begin(), findings.errors.end());
  if (!findings.errors.empty()) groups.clear();
  return groups;
}

}  // namespace leasehold
