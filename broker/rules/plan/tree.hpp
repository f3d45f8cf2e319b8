// The consumer tree of a plan, laid out for calculation: depth first, siblings by rank, then as
// declared (broker/rules/plan/README.md, "Order"). So parents come before their children, and a
// subtree is a range. Leaves have two orders of priority: that of the tree, and that of their ranks
// across branches. Pure.
//
// Contract: built from any plan whose parents stand before their children. Position 0 is the root,
// which is no consumer; `Plan::consumers` positions are called consumers here, never positions.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "broker/rules/plan/plan.hpp"

namespace leasehold {

/// No limit. Far above every sum of slots, far below overflow.
inline constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max() / 4;

struct ConsumerNode {
  static constexpr int64_t kNoReserve = -1;  // none is named

  uint32_t consumer = kNoIndex;
  uint32_t parent = 0;  // position
  uint32_t end = 0;     // one past its subtree
  uint32_t branch = 0;  // the root-level consumer it belongs to
  bool leaf = false;
  bool connected = true;  // leaf
  PlanPolicy policy = PlanPolicy::hybrid;
  bool names_own = false;  // `owned` is its own number
  int64_t owned = 0;       // as configured; of a parent that names none the sum of its children's
  int64_t reserved = kNoReserve;  // as configured
  int64_t limit = kUnlimited;
  int64_t share_ratio = 1;
  int64_t share_limit = kUnlimited;  // 0 with ratio 0
  int64_t demand = 0;                // of a parent the sum of its leaves'
  int64_t allocated = 0;
};

/// Leaves by priority: slots are handed out from the first on and taken from the last on.
struct LeafOrder {
  std::vector<uint32_t> leaves;  // positions
  std::vector<uint32_t> place;   // by position of a leaf: where it stands in `leaves`
};

struct ConsumerTree {
  std::vector<ConsumerNode> nodes;
  LeafOrder by_tree;  // ranks are compared among siblings only (hybrid; idle slots, share ratio)
  LeafOrder by_rank;  // ranks of all branches are compared (ownership; reclaim under share ratio)
  std::vector<uint32_t> declared;     // positions, depth first as declared; without the root
  std::vector<uint32_t> declared_at;  // by position: where it stands in `declared`
  std::vector<uint32_t> position;     // by consumer
  int64_t slots = 0;                  // now there: S
  int64_t configured = 0;             // Sc
  bool some_hybrid = false;           // a branch has that policy

  const ConsumerNode& root() const { return nodes.front(); }
  /// That of moves and claims, whatever they come from: the tree's where a hybrid branch exists.
  const LeafOrder& order() const { return some_hybrid ? by_tree : by_rank; }
  bool within(uint32_t position_of, uint32_t ancestor) const {
    return position_of >= ancestor && position_of < nodes[ancestor].end;
  }
};

ConsumerTree lay_out(const Plan& plan, const PlanState& state);

/// Calls visit(position) for each child of `parent`, by priority.
template <class Visit>
void for_each_child(const ConsumerTree& tree, uint32_t parent, Visit visit) {
  for (uint32_t p = parent + 1; p < tree.nodes[parent].end; p = tree.nodes[p].end) visit(p);
}

/// The closest node that has both below it; 0 is the root.
uint32_t common_ancestor(const ConsumerTree& tree, uint32_t a, uint32_t b);

}  // namespace leasehold
