// The consumer trees of a plan, one for each resource group; parents that nobody declared are added
// where they are first mentioned (broker/rules/plan/README.md, "Order"). They have only the shape;
// the numbers stay in the drafts.
#pragma once

#include "broker/config/plan/read.hpp"

namespace leasehold {

struct PlanNode {
  std::string path;
  int32_t parent = -1;                           // position among the nodes; -1: root level
  const PlanConsumerDraft* consumer = nullptr;   // null: implied by a path below it
  const PlanConsumerDraft* mentioned = nullptr;  // the section that brought it in
  bool is_leaf = true;

  Spot spot() const {
    return (consumer != nullptr ? consumer : mentioned)->written.at(&PlanConsumer::path);
  }
};

struct PlanTree {
  const PlanGroupDraft* group = nullptr;
  std::vector<PlanNode> nodes;  // in the order of first mention: parents before their children

  /// Returns the position of the path; -1: it is not in this tree.
  int32_t find(const std::string& path) const;
  std::vector<std::pair<std::string, int32_t>> by_path;  // ascending
};

/// Makes one tree for each group, in their order; `draft` must outlive them. Reports and leaves out
/// consumers that belong to no group, stand twice, or have no valid path.
std::vector<PlanTree> plan_trees(const PlanDraft& draft, Findings& findings);

}  // namespace leasehold
