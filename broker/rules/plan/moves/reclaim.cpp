#include "broker/rules/plan/moves/reclaim.hpp"

#include <algorithm>
#include <numeric>

namespace leasehold {

namespace {

/// With the path halved, so that what is exhausted is passed over but once or twice.
uint32_t find(std::vector<uint32_t>& last, uint32_t index) {
  while (last[index] != index) {
    last[index] = last[last[index]];
    index = last[index];
  }
  return index;
}

}  // namespace

Reclaim::Reclaim(const ConsumerTree& tree, const LeafOrder& order)
    : excess(tree.nodes.size(), 0),
      room(tree.nodes.size(), kUnlimited),
      tree_(tree),
      order_(order),
      line_at_(tree.nodes.size(), kNoIndex) {}

Reclaim::Line& Reclaim::line_of(uint32_t node) {
  if (line_at_[node] != kNoIndex) return lines_[line_at_[node]];
  line_at_[node] = static_cast<uint32_t>(lines_.size());
  Line& line = lines_.emplace_back();
  if (node == 0) {
    line.leaves = order_.leaves;
  } else {
    for (uint32_t p = node; p < tree_.nodes[node].end; ++p) {
      if (tree_.nodes[p].leaf) line.leaves.push_back(p);
    }
    std::sort(line.leaves.begin(), line.leaves.end(),
              [this](uint32_t a, uint32_t b) { return order_.place[a] < order_.place[b]; });
  }
  line.last.resize(line.leaves.size() + 1);
  std::iota(line.last.begin(), line.last.end(), 0);
  return line;
}

/// True if the leaf can lose slots. When it cannot, it never can again: excess and surplus only
/// fall.
bool Reclaim::can_lose(uint32_t leaf, bool to_other_branches) const {
  if (excess[leaf] <= 0) return false;
  return !to_other_branches || surplus.empty() || surplus[tree_.nodes[leaf].branch] > 0;
}

/// The last leaf below `node`, before that place, that can lose; 0: none. All that are below the
/// root are looked at for other branches.
uint32_t Reclaim::last_in(uint32_t node, uint32_t below) {
  Line& line = line_of(node);
  const auto end = std::partition_point(line.leaves.begin(), line.leaves.end(),
                                        [&](uint32_t leaf) { return order_.place[leaf] < below; });
  uint32_t index = find(line.last, static_cast<uint32_t>(end - line.leaves.begin()));
  while (index > 0 && !can_lose(line.leaves[index - 1], node == 0)) {
    line.last[index] = index - 1;
    index = find(line.last, index);
  }
  return index == 0 ? 0 : line.leaves[index - 1];
}

/// Within its own branch a leaf may take what other branches may not.
uint32_t Reclaim::candidate(uint32_t claimant, uint32_t within, uint32_t below) {
  const uint32_t found = last_in(within, below);
  if (within != 0 || surplus.empty()) return found;
  const uint32_t inside = last_in(tree_.nodes[claimant].branch, below);
  if (found == 0 || inside == 0) return std::max(found, inside);
  return order_.place[inside] > order_.place[found] ? inside : found;
}

Reclaim::Offer Reclaim::next(uint32_t claimant, uint32_t below) {
  // The deepest above it that takes nothing from outside; 0: none.
  uint32_t within = claimant;
  while (within != 0 && room[within] > 0) within = tree_.nodes[within].parent;
  const uint32_t victim = candidate(claimant, within, below);
  if (victim == 0) return {};
  int64_t most = excess[victim];
  const uint32_t branch = tree_.nodes[victim].branch;
  if (branch != tree_.nodes[claimant].branch && !surplus.empty()) {
    most = std::min(most, surplus[branch]);
  }
  for (uint32_t p = claimant; !tree_.within(victim, p); p = tree_.nodes[p].parent) {
    most = std::min(most, room[p]);
  }
  return {victim, most};
}

void Reclaim::take(uint32_t claimant, uint32_t victim, int64_t slots) {
  excess[victim] -= slots;
  const uint32_t common = common_ancestor(tree_, claimant, victim);
  for (uint32_t p = claimant; p != common; p = tree_.nodes[p].parent) room[p] -= slots;
  for (uint32_t p = victim; p != common; p = tree_.nodes[p].parent) room[p] += slots;
  if (common == 0 && !surplus.empty()) surplus[tree_.nodes[victim].branch] -= slots;
}

}  // namespace leasehold
