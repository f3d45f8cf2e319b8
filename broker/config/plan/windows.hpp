// ResourcePlans holds plans as read, and makes from them the plan that is in force at an instant. A
// window lays its numbers (and the policy of its branch) over the consumer's own while the clock of
// the group's time zone shows a time in [from, to), as ../week_periods.hpp reads it: exactly one of
// adjoining windows holds at every instant.
#pragma once

#include <memory>

#include "broker/config/plan/tree.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

/// Returns the group's numbers at that minute of its week (Sunday 00:00 is 0); nullopt: outside of
/// every window. Consumers stand in the order of tree.nodes.
Plan plan_at(const PlanTree& tree, std::optional<int> minute_of_week);

/// Returns the window of the consumer that holds then; null: none.
const PlanWindowDraft* window_at(const PlanConsumerDraft& consumer,
                                 std::optional<int> minute_of_week);

/// Minutes of the week at which the numbers of the tree may change, ascending; empty if it has no
/// windows. If no window names days they are those of the first day only.
std::vector<int> plan_changes(const PlanTree& tree);

class ResourcePlans {
 public:
  ResourcePlans() = default;
  ResourcePlans(std::shared_ptr<const PlanDraft> draft, std::vector<PlanTree> trees)
      : draft_(std::move(draft)), trees_(std::move(trees)) {}

  const std::vector<PlanTree>& trees() const { return trees_; }
  bool empty() const { return trees_.empty(); }
  /// Returns the plan of the group at that position, at that instant; nullopt: outside of every
  /// window.
  Plan in_force(size_t group, std::optional<Instant> at) const;

 private:
  std::shared_ptr<const PlanDraft> draft_;  // the trees point into it
  std::vector<PlanTree> trees_;
};

}  // namespace leasehold
