// CompiledPlan: a plan's consumer tree laid out for calculation, once, when the plan is loaded:
// depth first, siblings by rank, then as declared (broker/rules/plan/README.md, "Order"). So
// parents come before their children, and a subtree is a range. Leaves have two orders of priority:
// that of the tree, and that of their ranks across branches. Pure. Not what anybody wants or holds:
// tree.hpp puts that in at each evaluation.
//
// Contract: compiled from any plan whose parents stand before their children; it refers to nothing
// of the plan, and nothing in it changes. Position 0 is the root, which is no consumer;
// `Plan::consumers` positions are called consumers here, never positions.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
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
  bool connected = true;  // leaf; of the state
  PlanPolicy policy = PlanPolicy::hybrid;
  bool names_own = false;  // `owned` is its own number
  int64_t owned = 0;       // as configured; of a parent that names none the sum of its children's
  int64_t reserved = kNoReserve;  // as configured
  int64_t limit = kUnlimited;
  int64_t share_ratio = 1;
  int64_t share_limit = kUnlimited;  // 0 with ratio 0
  int64_t demand = 0;                // of the state; of a parent the sum of its leaves'
  int64_t allocated = 0;             // the same
};

/// Leaves by priority: slots are handed out from the first on and taken from the last on.
struct LeafOrder {
  std::vector<uint32_t> leaves;  // positions
  std::vector<uint32_t> place;   // by position of a leaf: where it stands in `leaves`
};

struct CompiledPlan {
  std::vector<ConsumerNode> nodes;  // nobody wants or has anything
  LeafOrder by_tree;  // ranks are compared among siblings only (hybrid; idle slots, share ratio)
  LeafOrder by_rank;  // ranks of all branches are compared (ownership; reclaim under share ratio)
  std::vector<uint32_t> declared;     // positions, depth first as declared; without the root
  std::vector<uint32_t> declared_at;  // by position: where it stands in `declared`
  std::vector<uint32_t> position;     // by consumer
  bool some_hybrid = false;           // a branch has that policy

  /// That of moves and claims, whatever they come from: the tree's where a hybrid branch exists.
  const LeafOrder& order() const { return some_hybrid ? by_tree : by_rank; }
};

std::shared_ptr<const CompiledPlan> compile(const Plan& plan);

}  // namespace leasehold
