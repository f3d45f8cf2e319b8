#include "broker/rules/plan/division/quota.hpp"

#include <algorithm>

namespace leasehold {

namespace {

int64_t scaled(int64_t owned, Scale scale) {
  if (scale.configured <= 0) return 0;
  return static_cast<int64_t>(Wide{owned} * scale.slots / scale.configured);
}

/// Returns the reserve that a consumer names, at the most what it owns; for a parent that names
/// none the sum of its children's, which `reserved` already has. Only hybrid has reserves.
int64_t effective_reserve(const ConsumerNode& node, int64_t own, int64_t reserved) {
  if (node.policy != PlanPolicy::hybrid) return 0;
  const bool named = node.reserved != ConsumerNode::kNoReserve;
  return named ? std::min(node.reserved, own) : reserved;
}

}  // namespace

Scale hybrid_scale(const ConsumerTree& tree) {
  Scale scale{tree.slots, tree.configured};
  for_each_child(tree, 0, [&](uint32_t p) {
    if (tree.nodes[p].policy != PlanPolicy::ownership) return;
    scale.slots -= tree.nodes[p].owned;
    scale.configured -= tree.nodes[p].owned;
  });
  scale.slots = std::max<int64_t>(scale.slots, 0);
  return scale;
}

void set_common_numbers(const ConsumerTree& tree, Scale scale, Quotas& quotas) {
  const size_t count = tree.nodes.size();
  quotas.want.assign(count, 0);
  quotas.own.assign(count, 0);
  quotas.reserved.assign(count, 0);
  quotas.quota.assign(count, 0);
  for (auto p = static_cast<uint32_t>(count); --p > 0;) {
    const ConsumerNode& node = tree.nodes[p];
    const bool hybrid = node.policy == PlanPolicy::hybrid;
    quotas.own[p] = hybrid ? scaled(node.owned, scale) : node.owned;
    quotas.reserved[p] = effective_reserve(node, quotas.own[p], quotas.reserved[p]);
    // The limit beats the reserve, the reserve beats the demand (hybrid, "with reserve and limit").
    const int64_t wanted = node.leaf ? node.demand : quotas.want[p];
    quotas.want[p] = std::min(node.limit, std::max(wanted, quotas.reserved[p]));
    quotas.want[node.parent] += quotas.want[p];
    quotas.reserved[node.parent] += quotas.reserved[p];
  }
}

}  // namespace leasehold
