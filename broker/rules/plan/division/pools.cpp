#include "broker/rules/plan/division/pools.hpp"

#include <algorithm>

#include "broker/rules/plan/division/fill.hpp"

namespace leasehold {

namespace {

bool is_owner(const ConsumerNode& node) {
  return node.policy == PlanPolicy::ownership;
}

/// Pours each pool down its branch, from the deepest parents up.
class Pouring {
 public:
  Pouring(const ConsumerTree& tree, const std::vector<int64_t>& want)
      : given(tree.nodes.size(), 0),
        tree_(tree),
        caps_(tree.nodes.size(), 0),
        budget_(tree.nodes.size(), 0) {
    std::vector<int64_t> owned(tree.nodes.size(), 0);  // by its leaves, and wanted
    for (auto p = static_cast<uint32_t>(tree.nodes.size()); --p > 0;) {
      const ConsumerNode& node = tree.nodes[p];
      if (!is_owner(node)) continue;
      if (node.leaf) {
        owned[p] = std::min(want[p], node.owned);
        caps_[p] = std::min(want[p] - owned[p], node.share_limit);
      } else {
        caps_[p] = std::min({caps_[p], node.share_limit, node.limit - owned[p]});
        caps_[p] = std::max<int64_t>(caps_[p], 0);
      }
      owned[node.parent] += owned[p];
      caps_[node.parent] += caps_[p];
    }
  }

  /// Hands `slots` out below `parent`, whose branch has what deeper pools gave; returns what
  /// nobody there can take.
  int64_t pour(uint32_t parent, int64_t slots) {
    for_each_child(tree_, parent, [&](uint32_t p) { given[parent] += given[p]; });
    if (slots == 0) return 0;
    budget_[parent] = slots;
    const int64_t placed = pass_down(parent);
    for (uint32_t p = parent + 1; p < tree_.nodes[parent].end; ++p) {
      if (!tree_.nodes[p].leaf && budget_[p] > 0) pass_down(p);
    }
    given[parent] += placed;
    return slots - placed;
  }

  std::vector<int64_t> given;

 private:
  int64_t pass_down(uint32_t parent) {
    size_t count = 0;
    for_each_child(tree_, parent, [&](uint32_t) { ++count; });
    Bowl* bowl = filling_.begin(budget_[parent], 1, count).data();
    budget_[parent] = 0;
    for_each_child(tree_, parent, [&](uint32_t p) {
      bowl->weight = tree_.nodes[p].share_ratio;
      bowl->cap = caps_[p] - given[p];
      ++bowl;
    });
    filling_.fill();
    filling_.round();
    bowl = filling_.bowls().data();
    int64_t placed = 0;
    for_each_child(tree_, parent, [&](uint32_t p) {
      budget_[p] = bowl->slots;
      given[p] += bowl->slots;
      placed += (bowl++)->slots;
    });
    return placed;
  }

  const ConsumerTree& tree_;
  std::vector<int64_t> caps_;
  std::vector<int64_t> budget_;  // to be passed down
  Filling filling_;
};

}  // namespace

std::vector<int64_t> share_pools(const ConsumerTree& tree, int64_t slots) {
  std::vector<int64_t> pools(tree.nodes.size(), 0);
  int64_t left = slots;
  for (uint32_t p = 1; p < tree.nodes.size(); ++p) {
    const ConsumerNode& node = tree.nodes[p];
    if (!is_owner(node)) continue;
    if (node.leaf) left -= node.owned;
    if (!node.leaf) pools[p] += node.owned;
    if (node.parent != 0) pools[node.parent] -= node.owned;
  }
  left = std::max<int64_t>(left, 0);
  for (uint32_t p = 1; p < tree.nodes.size(); ++p) {
    pools[p] = std::min(pools[p], left);
    left -= pools[p];
  }
  pools[0] = left;
  return pools;
}

std::vector<int64_t> deserved_shares(const ConsumerTree& tree, const std::vector<int64_t>& pools,
                                     const std::vector<int64_t>& want) {
  Pouring pouring(tree, want);
  std::vector<int64_t> spilled(tree.nodes.size(), 0);
  for (auto p = static_cast<uint32_t>(tree.nodes.size()); p-- > 0;) {
    const ConsumerNode& node = tree.nodes[p];
    if (node.leaf) continue;
    spilled[node.parent] += pouring.pour(p, pools[p] + spilled[p]);
  }
  return std::move(pouring.given);
}

}  // namespace leasehold
