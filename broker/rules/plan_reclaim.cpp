#include "broker/rules/plan_reclaim.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// With the path halved, so that what is exhausted is passed over but once or twice.
uint32_t find(std::vector<uint32_t>& last, uint32_t position) {
  while (last[position] != position) {
    last[position] = last[last[position]];
    position = last[position];
  }
  return position;
}

}  // namespace

Reclaim::Reclaim(const ConsumerTree& tree)
    : excess(tree.nodes.size(), 0),
      room(tree.nodes.size(), kUnlimited),
      tree_(tree),
      end_(static_cast<uint32_t>(tree.nodes.size())) {}

void Reclaim::prepare() {
  prepared_ = true;
  inner_.resize(end_);
  for (uint32_t p = 0; p < end_; ++p) inner_[p] = p == 0 || excess[p] > 0 ? p : p - 1;
  outer_ = inner_;
  if (surplus.empty()) return;
  for_each_child(tree_, 0, [this](uint32_t branch) {
    if (surplus[branch] <= 0) close(branch);
  });
}

/// Nothing of this branch goes to others any more: it gains nothing from them either.
void Reclaim::close(uint32_t branch) {
  for (uint32_t p = branch; p < tree_.nodes[branch].end; ++p) outer_[p] = p - 1;
}

/// The last leaf before `below` that can lose to the claimant, its parents' limits aside; 0: none.
uint32_t Reclaim::candidate(uint32_t claimant, uint32_t below) {
  const uint32_t branch = tree_.nodes[claimant].branch;
  uint32_t found = below - 1;
  if (found >= tree_.nodes[branch].end) {
    found = find(outer_, found);
    found = std::max(found, std::min(below - 1, tree_.nodes[branch].end - 1));
  }
  if (found >= tree_.nodes[branch].end || found < branch) return find(outer_, found);
  found = find(inner_, found);
  return found >= branch ? found : find(outer_, found);
}

Reclaim::Offer Reclaim::next(uint32_t claimant, uint32_t below) {
  if (!prepared_) prepare();
  while (true) {
    const uint32_t victim = candidate(claimant, below);
    if (victim == 0) return {};
    int64_t most = excess[victim];
    const uint32_t branch = tree_.nodes[victim].branch;
    const bool outside = branch != tree_.nodes[claimant].branch;
    if (outside && !surplus.empty()) most = std::min(most, surplus[branch]);
    uint32_t full = 0;  // the highest parent of the claimant that takes nothing from outside
    for (uint32_t p = claimant; !tree_.within(victim, p); p = tree_.nodes[p].parent) {
      most = std::min(most, room[p]);
      if (room[p] <= 0) full = p;
    }
    if (full == 0) return {victim, most};
    if (victim < full) return {};  // from here on all are outside
    below = tree_.nodes[full].end;
  }
}

void Reclaim::take(uint32_t claimant, uint32_t victim, int64_t slots) {
  excess[victim] -= slots;
  if (excess[victim] == 0) inner_[victim] = outer_[victim] = victim - 1;
  const uint32_t common = common_ancestor(tree_, claimant, victim);
  for (uint32_t p = claimant; p != common; p = tree_.nodes[p].parent) room[p] -= slots;
  for (uint32_t p = victim; p != common; p = tree_.nodes[p].parent) room[p] += slots;
  if (common != 0 || surplus.empty()) return;
  int64_t& left = surplus[tree_.nodes[victim].branch];
  left -= slots;
  if (left == 0) close(tree_.nodes[victim].branch);
}

}  // namespace leasehold
