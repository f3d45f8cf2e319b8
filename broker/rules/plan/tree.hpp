// The consumer tree of a compiled plan with what its leaves want and hold: what one evaluation
// calculates with. Pure. Not the tree's order, which is the plan's (compiled.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "broker/rules/plan/compiled.hpp"
#include "broker/rules/plan/plan.hpp"

namespace leasehold {

struct ConsumerTree {
  std::vector<ConsumerNode> nodes;
  std::shared_ptr<const CompiledPlan> compiled;
  int64_t slots = 0;       // now there: S
  int64_t configured = 0;  // Sc

  const ConsumerNode& root() const { return nodes.front(); }
  // These are the plan's, as compiled.
  const LeafOrder& by_tree() const { return compiled->by_tree; }
  const LeafOrder& by_rank() const { return compiled->by_rank; }
  const LeafOrder& order() const { return compiled->order(); }
  const std::vector<uint32_t>& declared() const { return compiled->declared; }
  uint32_t declared_at(uint32_t position) const { return compiled->declared_at[position]; }
  uint32_t position(uint32_t consumer) const { return compiled->position[consumer]; }
  bool some_hybrid() const { return compiled->some_hybrid; }

  bool within(uint32_t position_of, uint32_t ancestor) const {
    return position_of >= ancestor && position_of < nodes[ancestor].end;
  }
};

/// `compiled` is that of `plan`.
ConsumerTree lay_out(const Plan& plan, std::shared_ptr<const CompiledPlan> compiled,
                     const PlanState& state);
inline ConsumerTree lay_out(const Plan& plan, const PlanState& state) {
  return lay_out(plan, compile(plan), state);
}

/// Calls visit(position) for each child of `parent`, by priority.
template <class Visit>
void for_each_child(const ConsumerTree& tree, uint32_t parent, Visit visit) {
  for (uint32_t p = parent + 1; p < tree.nodes[parent].end; p = tree.nodes[p].end) visit(p);
}

/// Returns the closest node that has both below it; 0 is the root.
uint32_t common_ancestor(const ConsumerTree& tree, uint32_t a, uint32_t b);

}  // namespace leasehold
