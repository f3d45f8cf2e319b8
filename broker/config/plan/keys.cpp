#include "broker/config/plan/keys.hpp"

#include <map>

#include "broker/config/check/check.hpp"

namespace leasehold {

namespace {

/// True if the value is the same as leaving the key out.
bool says_nothing(const KeyRow& row, const std::optional<int64_t>& value) {
  return !value || value == row.notes.absent;
}
bool says_nothing(const KeyRow&, const std::optional<ConsumerList>& value) {
  return !value;
}
bool says_nothing(const KeyRow&, const auto&) {
  return true;  // no key of some policies only
}

std::string remedy(std::string_view key, PolicySet has) {
  if (key == "reserved" && (has & policy_bit(PlanPolicy::ownership)) != 0) {
    return "; leave it out: under ownership all that 'lend_limit' does not offer is kept for its "
           "owner";
  }
  return "; leave it out, or give the branch that policy";
}

/// The rules report these keys of a group with owners, for which they are not defined
/// (broker/rules/plan/check.hpp).
bool reported_with_owners(std::string_view key, PolicySet has) {
  const bool undefined = key == "share_enforcement" || key == "evenly_distribute";
  return undefined && (has & policy_bit(PlanPolicy::ownership)) != 0;
}

class KeyCheck {
 public:
  KeyCheck(const PlanTree& tree, Findings& findings) : tree_(tree), findings_(findings) {
    times_.emplace_back(std::nullopt);
    for (const int minute : plan_changes(tree)) times_.emplace_back(minute);
    find_policies();
  }

  void check() {
    check_switches();
    for (size_t n = 0; n < tree_.nodes.size(); ++n) {
      const PlanConsumerDraft* consumer = tree_.nodes[n].consumer;
      if (consumer == nullptr) continue;
      check_settings(n, consumer->own, consumer->written, policies_of(n));
      std::map<const PlanWindowDraft*, PolicySet> in_windows = policies_in_windows(n);
      for (const PlanWindowDraft& window : consumer->windows) {
        check_settings(n, window.settings, window.written, in_windows[&window]);
      }
    }
  }

 private:
  /// Finds the policy of each root-level consumer at each time.
  void find_policies() {
    for (const PlanNode& node : tree_.nodes) {
      const auto at = static_cast<size_t>(&node - tree_.nodes.data());
      branch_.push_back(node.parent < 0 ? at : branch_[static_cast<size_t>(node.parent)]);
      policies_.emplace_back();
      if (node.parent >= 0) continue;
      for (const std::optional<int>& time : times_) policies_.back().push_back(bit_at(node, time));
    }
  }

  PolicySet bit_at(const PlanNode& node, std::optional<int> time) const {
    PlanPolicy policy = tree_.group->plan.policy;
    if (node.consumer != nullptr) {
      const PlanWindowDraft* window = window_at(*node.consumer, time);
      policy = node.consumer->own.policy.value_or(policy);
      if (window != nullptr) policy = window->settings.policy.value_or(policy);
    }
    return policy_bit(policy);
  }

  /// Returns the policies that the node's branch has at any time.
  PolicySet policies_of(size_t node) const {
    PolicySet set = 0;
    for (const PolicySet each : policies_[branch_[node]]) set |= each;
    return set;
  }

  /// The policies that the node's branch has while each of its windows holds.
  std::map<const PlanWindowDraft*, PolicySet> policies_in_windows(size_t node) const {
    std::map<const PlanWindowDraft*, PolicySet> sets;
    if (tree_.nodes[node].consumer->windows.empty()) return sets;
    for (size_t t = 0; t < times_.size(); ++t) {
      sets[window_at(*tree_.nodes[node].consumer, times_[t])] |= policies_[branch_[node]][t];
    }
    return sets;
  }

  void check_settings(size_t node, const PlanConsumer& settings, const Written& written,
                      PolicySet has) {
    for_each_value(
        kConsumerKeys,
        [&](const KeyRow& row, const auto& value) {
          if (!says_nothing(row, value)) check_key(node, row, written.at(row), has);
        },
        settings);
  }

  /// True if the policy may occur in this group: share ratio may not be mixed with others.
  bool mixes(PolicySet has) const {
    const PolicySet share_ratio = policy_bit(PlanPolicy::share_ratio);
    return ((has ^ policy_bit(tree_.group->plan.policy)) & share_ratio) == 0;
  }

  void check_key(size_t node, const KeyRow& row, const Spot& spot, PolicySet has) {
    const PolicySet known = row.notes.variants;
    // A check reports a window of another policy that it overlaps.
    if (has == 0 || (known & has) != 0) return;
    if (!mixes(has)) return;  // that too
    findings_.error(spot, tree_.nodes[node].path + ": " + in_quotes(row.name) + " is a key of " +
                              policy_words(known) + ", but its branch " +
                              tree_.nodes[branch_[node]].path + " has policy " + policy_words(has) +
                              remedy(row.name, has));
  }

  void check_switches() {
    PolicySet has = tree_.nodes.empty() ? policy_bit(tree_.group->plan.policy) : 0;
    for (size_t n = 0; n < tree_.nodes.size(); ++n) {
      if (tree_.nodes[n].parent < 0) has |= policies_of(n);
    }
    const Plan plain;
    for_each_key(kResourceGroupKeys, [&](const auto& row) {
      if constexpr (is_of<std::remove_cvref_t<decltype(row)>, Plan>) {
        if (tree_.group->plan.*row.member != plain.*row.member) check_switch(row, has);
      }
    });
  }

  void check_switch(const KeyRow& row, PolicySet has) {
    const PolicySet known = row.notes.variants;
    if ((known & has) != 0 || reported_with_owners(row.name, has)) return;
    findings_.error(tree_.group->written.at(row),
                    in_quotes(row.name) + " is a switch of " + policy_words(known) +
                        ", but resource group " + in_quotes(tree_.group->own.name) +
                        " has policy " + policy_words(has) + "; leave it out");
  }

  const PlanTree& tree_;
  Findings& findings_;
  std::vector<std::optional<int>> times_;         // outside of windows, then each change
  std::vector<size_t> branch_;                    // by node
  std::vector<std::vector<PolicySet>> policies_;  // by node at the root level, then by time
};

}  // namespace

void check_plan_keys(const PlanTree& tree, Findings& findings) {
  KeyCheck(tree, findings).check();
}

}  // namespace leasehold
