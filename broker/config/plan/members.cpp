#include <algorithm>
#include <map>

#include "broker/config/plan/check.hpp"

namespace leasehold {

namespace {

/// Checks a group against the clusters and export policies of the broker's configuration.
class MemberCheck {
 public:
  MemberCheck(const Drafts& drafts, Findings& findings) : findings_(findings) {
    for (const ClusterDraft& draft : drafts.clusters) clusters_.push_back(draft.cluster.name);
    for (const PolicyDraft& draft : drafts.policies) policies_.push_back(draft.policy.name);
  }

  void check(const PlanTree& tree) {
    check_policies(*tree.group);
    if (clusters_.empty()) return;
    for (const PlanNode& node : tree.nodes) check_cluster(node);
  }

 private:
  void check_policies(const PlanGroupDraft& group) {
    const std::vector<std::string>& policies = group.own.policies;
    if (policies.empty() && !clusters_.empty()) {
      findings_.error(group.written.section,
                      "resource group " + in_quotes(group.own.name) +
                          " has no slots; name its export policies in 'policies'");
    }
    for (size_t i = 0; i < policies.size(); ++i) {
      const std::string& name = policies[i];
      const Spot spot = group.written.element(&ResourceGroup::policies, i);
      const auto [entry, is_new] = taken_.try_emplace(name, spot);
      if (!is_new) {
        findings_.error(spot, "export policy " + in_quotes(name) + " is in a group at " +
                                  spot_text(entry->second) + " already; it has one group");
      }
      if (clusters_.empty() && policies_.empty()) continue;  // a plan alone
      if (std::find(policies_.begin(), policies_.end(), name) != policies_.end()) continue;
      const std::string meant = did_you_mean(name, policies_);
      findings_.error(spot,
                      "export policy " + in_quotes(name) + " is not known" +
                          (meant.empty() ? "; add an [[export_policy]] of that name" : meant));
    }
  }

  void check_cluster(const PlanNode& node) {
    if (node.consumer == nullptr) return;
    const PlanConsumerDraft& consumer = *node.consumer;
    const Spot spot = consumer.written.at(&PlanConsumer::cluster);
    const std::string& name = consumer.own.cluster;
    if (name.empty()) {
      if (!node.is_leaf) return;
      findings_.error(spot, "leaf consumer " + in_quotes(consumer.own.path) +
                                " names no cluster; write cluster = \"…\": whose work it is");
    } else if (std::find(clusters_.begin(), clusters_.end(), name) == clusters_.end()) {
      const std::string meant = did_you_mean(name, clusters_);
      findings_.error(spot, "cluster " + in_quotes(name) + " is not known" +
                                (meant.empty() ? "; add a [[cluster]] of that name" : meant));
    }
  }

  Findings& findings_;
  std::vector<std::string> clusters_;
  std::vector<std::string> policies_;
  std::map<std::string, Spot> taken_;
};

/// Refuses keys that the group decides: who uses the slots, how they are shared and by which rule.
void check_group_policy(const PolicyDraft& draft, Findings& findings) {
  for (const KeyRef key : {KeyRef(&ExportPolicy::distribution), KeyRef(&ExportPolicy::type),
                           KeyRef(&ExportPolicy::rule), KeyRef(&ExportPolicy::shadow),
                           KeyRef(&ExportPolicy::by_host), KeyRef(&ExportPolicy::unit)}) {
    if (!draft.written.has(key)) continue;
    findings.error(draft.written.at(key), in_quotes(draft.written.word(key)) +
                                              " does not go with a policy of resource group " +
                                              in_quotes(draft.group) +
                                              ", which decides that itself; take it out");
  }
}

}  // namespace

void take_group_policies(const PlanDraft& plan, Drafts& drafts) {
  std::map<std::string, std::string> group_of;
  for (const PlanGroupDraft& group : plan.groups) {
    for (const auto& policy : group.own.policies) group_of.try_emplace(policy, group.own.name);
  }
  for (PolicyDraft& draft : drafts.policies) {
    const auto group = group_of.find(draft.policy.name);
    if (group != group_of.end()) draft.group = group->second;
  }
}

void check_plan_members(const std::vector<PlanTree>& trees, const Drafts& drafts,
                        Findings& findings) {
  MemberCheck check(drafts, findings);
  for (const PlanTree& tree : trees) check.check(tree);
  for (const PolicyDraft& draft : drafts.policies) {
    if (!draft.group.empty()) check_group_policy(draft, findings);
  }
}

}  // namespace leasehold
