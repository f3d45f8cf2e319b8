// The consumer tree of a plan, laid out for calculation: depth first, siblings by rank, then as
// declared (plan-semantics 1, EGO consumer rank). So parents come before their children, a subtree
// is a range, and leaves stand in the order of priority. Pure.
//
// Contract: built from any plan whose parents stand before their children. Position 0 is the root,
// which is no consumer; `Plan::consumers` positions are called consumers here, never positions.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "broker/rules/plan.hpp"

namespace leasehold {

/// No limit. Far above every sum of slots, far below overflow.
inline constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max() / 4;

struct ConsumerNode {
  uint32_t consumer = kNobody;
  uint32_t parent = 0;  // position
  uint32_t end = 0;     // one past its subtree
  uint32_t branch = 0;  // the root-level consumer it belongs to
  bool leaf = false;
  bool connected = true;  // leaf
  PlanPolicy policy = PlanPolicy::hybrid;
  int64_t owned = 0;  // as configured; of a parent that names none the sum of its children's
  int64_t limit = kUnlimited;
  int64_t share_ratio = 1;
  int64_t share_limit = kUnlimited;  // 0 with ratio 0
  int64_t demand = 0;                // of a parent the sum of its leaves'
  int64_t allocated = 0;
};

struct ConsumerTree {
  std::vector<ConsumerNode> nodes;
  std::vector<uint32_t> leaves;       // positions, by priority
  std::vector<uint32_t> declared;     // positions, depth first as declared; without the root
  std::vector<uint32_t> declared_at;  // by position: where it stands in `declared`
  std::vector<uint32_t> position;     // by consumer
  int64_t slots = 0;                  // now there: S
  int64_t configured = 0;             // Sc

  const ConsumerNode& root() const { return nodes.front(); }
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
