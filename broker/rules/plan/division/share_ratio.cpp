// Share ratio: the whole group is one pool, divided from the root down by the ratios of siblings
// among those that want (broker/rules/plan/README.md, "Share ratio"; Symphony, "Owning, lending,
// borrowing, sharing").
#include <algorithm>

#include "broker/rules/plan/division/quota.hpp"

namespace leasehold {

namespace {

/// Returns what each could take: a leaf as much as it wants, a parent as much as its children
/// could, within its limits.
std::vector<int64_t> caps_of(const ConsumerTree& tree, const Quotas& quotas) {
  std::vector<int64_t> caps(tree.nodes.size(), 0);
  for (auto p = static_cast<uint32_t>(tree.nodes.size()); --p > 0;) {
    const ConsumerNode& node = tree.nodes[p];
    if (node.leaf) caps[p] = quotas.want[p];
    caps[p] = std::min({caps[p], node.limit, node.share_limit});
    caps[node.parent] += caps[p];
  }
  return caps;
}

void divide(const ConsumerTree& tree, uint32_t parent, const std::vector<int64_t>& caps,
            Filling& filling, Quotas& quotas) {
  size_t count = 0;
  for_each_child(tree, parent, [&](uint32_t) { ++count; });
  Bowl* bowl = filling.begin(quotas.quota[parent], 1, count).data();
  for_each_child(tree, parent, [&](uint32_t p) {
    bowl->weight = tree.nodes[p].share_ratio;
    bowl->cap = caps[p];
    ++bowl;
  });
  filling.fill();
  filling.round();
  const Bowl* filled = filling.bowls().data();
  for_each_child(tree, parent, [&](uint32_t p) { quotas.quota[p] = (filled++)->slots; });
}

}  // namespace

void set_share_quotas(const ConsumerTree& tree, Quotas& quotas) {
  const std::vector<int64_t> caps = caps_of(tree, quotas);
  Filling filling;
  quotas.quota[0] = tree.slots;
  for (uint32_t p = 0; p < tree.nodes.size(); ++p) {
    if (!tree.nodes[p].leaf) divide(tree, p, caps, filling, quotas);
  }
}

}  // namespace leasehold
