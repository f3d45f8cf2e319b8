#include "broker/rules/plan/tree.hpp"

namespace leasehold {

namespace {

void set_state(ConsumerNode& node, const LeafState& state) {
  node.connected = state.connected;
  node.allocated = state.allocated;
  node.demand = state.connected ? state.demand : state.allocated;  // it keeps what it holds
}

/// Adds up from the leaves: their states and the sums of parents.
void add_up(const PlanState& state, std::vector<ConsumerNode>& nodes) {
  for (size_t p = nodes.size(); --p > 0;) {
    ConsumerNode& node = nodes[p];
    if (node.leaf && node.consumer < state.leaves.size()) {
      set_state(node, state.leaves[node.consumer]);
    }
    nodes[node.parent].demand += node.demand;
    nodes[node.parent].allocated += node.allocated;
  }
}

}  // namespace

ConsumerTree lay_out(const Plan& plan, std::shared_ptr<const CompiledPlan> compiled,
                     const PlanState& state) {
  ConsumerTree tree{compiled->nodes, std::move(compiled)};
  tree.slots = state.slots.value_or(plan.slots.value_or(0));
  tree.configured = plan.slots.value_or(tree.slots);
  add_up(state, tree.nodes);
  return tree;
}

uint32_t common_ancestor(const ConsumerTree& tree, uint32_t a, uint32_t b) {
  while (!tree.within(b, a)) a = tree.nodes[a].parent;
  return a;
}

}  // namespace leasehold
