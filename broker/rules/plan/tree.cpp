#include "broker/rules/plan/tree.hpp"

#include <algorithm>
#include <span>

namespace leasehold {

namespace {

/// Children of each consumer in one vector; those of the root come last.
struct Family {
  std::vector<uint32_t> first;  // by consumer, root last: where its children begin
  std::vector<uint32_t> children;

  std::span<uint32_t> of(uint32_t consumer) {
    return {children.data() + first[consumer], children.data() + first[consumer + 1]};
  }
};

uint32_t root_of(const Plan& plan) {
  return static_cast<uint32_t>(plan.consumers.size());
}

uint32_t parent_of(const Plan& plan, const PlanConsumer& consumer) {
  return consumer.parent == kNoIndex ? root_of(plan) : consumer.parent;
}

Family gather_children(const Plan& plan) {
  Family family;
  family.first.assign(plan.consumers.size() + 2, 0);
  for (const PlanConsumer& consumer : plan.consumers) ++family.first[parent_of(plan, consumer) + 1];
  for (size_t i = 1; i < family.first.size(); ++i) family.first[i] += family.first[i - 1];
  family.children.resize(plan.consumers.size());
  std::vector<uint32_t> next(family.first.begin(), family.first.end() - 1);
  for (uint32_t c = 0; c < plan.consumers.size(); ++c) {
    family.children[next[parent_of(plan, plan.consumers[c])]++] = c;
  }
  return family;
}

void sort_by_rank(const Plan& plan, Family& family) {
  const auto rank = [&](uint32_t c) { return plan.consumers[c].rank.value_or(plan.default_rank); };
  const auto higher = [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); };
  for (uint32_t c = 0; c <= plan.consumers.size(); ++c) {
    const std::span<uint32_t> children = family.of(c);
    if (!std::is_sorted(children.begin(), children.end(), higher)) {
      std::stable_sort(children.begin(), children.end(), higher);
    }
  }
}

/// The consumers depth first, parents first. No recursion: trees may be of any depth.
std::vector<uint32_t> walk(const Plan& plan, Family& family) {
  std::vector<uint32_t> order;
  order.reserve(plan.consumers.size());
  std::vector<uint32_t> waiting;
  const auto expect_children = [&](uint32_t consumer) {
    const std::span<uint32_t> children = family.of(consumer);
    waiting.insert(waiting.end(), children.rbegin(), children.rend());
  };
  expect_children(root_of(plan));
  while (!waiting.empty()) {
    order.push_back(waiting.back());
    waiting.pop_back();
    expect_children(order.back());
  }
  return order;
}

ConsumerNode node_of(const Plan& plan, uint32_t consumer) {
  const PlanConsumer& from = plan.consumers[consumer];
  ConsumerNode node;
  node.consumer = consumer;
  node.policy = from.policy.value_or(plan.policy);
  node.owned = from.owned.value_or(0);
  node.limit = from.limit.value_or(kUnlimited);
  node.share_ratio = from.share_ratio.value_or(1);
  node.share_limit = node.share_ratio == 0 ? 0 : from.share_limit.value_or(kUnlimited);
  return node;
}

void set_state(ConsumerNode& node, const LeafState& state) {
  node.connected = state.connected;
  node.allocated = state.allocated;
  node.demand = state.connected ? state.demand : state.allocated;  // it keeps what it holds
}

/// From the leaves up: ranges, leaves' states and the sums of parents.
void add_up(const Plan& plan, const PlanState& state, ConsumerTree& tree) {
  for (auto p = static_cast<uint32_t>(tree.nodes.size()); --p > 0;) {
    ConsumerNode& node = tree.nodes[p];
    node.leaf = node.end == 0;
    node.end = std::max(node.end, p + 1);
    if (node.leaf && node.consumer < state.leaves.size()) {
      set_state(node, state.leaves[node.consumer]);
    }
    ConsumerNode& parent = tree.nodes[node.parent];
    parent.end = std::max(parent.end, node.end);
    parent.demand += node.demand;
    parent.allocated += node.allocated;
    const bool names_own = node.parent != 0 && plan.consumers[parent.consumer].owned.has_value();
    if (!names_own) parent.owned += node.owned;
  }
  tree.nodes.front().end = static_cast<uint32_t>(tree.nodes.size());
}

/// Numbers the leaves as they stand.
void set_places(LeafOrder& order, size_t positions) {
  order.place.resize(positions);
  for (uint32_t i = 0; i < order.leaves.size(); ++i) order.place[order.leaves[i]] = i;
}

/// A leaf without a rank has its nearest ancestor's that has one, else the group's default.
void order_leaves(const Plan& plan, ConsumerTree& tree) {
  std::vector<int64_t> rank(tree.nodes.size(), plan.default_rank);
  for (uint32_t p = 1; p < tree.nodes.size(); ++p) {
    const ConsumerNode& node = tree.nodes[p];
    rank[p] = plan.consumers[node.consumer].rank.value_or(rank[node.parent]);
    if (node.leaf) tree.by_tree.leaves.push_back(p);
  }
  set_places(tree.by_tree, tree.nodes.size());
  tree.by_rank = tree.by_tree;
  std::vector<uint32_t>& leaves = tree.by_rank.leaves;
  const auto higher = [&](uint32_t a, uint32_t b) { return rank[a] < rank[b]; };
  if (std::is_sorted(leaves.begin(), leaves.end(), higher)) return;
  std::stable_sort(leaves.begin(), leaves.end(), higher);
  set_places(tree.by_rank, tree.nodes.size());
}

/// From the root down: the branch of each, and its policy.
void inherit(ConsumerTree& tree) {
  for (uint32_t p = 1; p < tree.nodes.size(); ++p) {
    ConsumerNode& node = tree.nodes[p];
    const bool root_level = node.parent == 0;
    node.branch = root_level ? p : tree.nodes[node.parent].branch;
    node.policy = tree.nodes[node.branch].policy;
    tree.some_hybrid |= node.policy == PlanPolicy::hybrid;
  }
}

}  // namespace

ConsumerTree lay_out(const Plan& plan, const PlanState& state) {
  ConsumerTree tree;
  tree.slots = state.slots.value_or(plan.slots.value_or(0));
  tree.configured = plan.slots.value_or(tree.slots);
  Family family = gather_children(plan);
  const std::vector<uint32_t> declared = walk(plan, family);
  sort_by_rank(plan, family);
  tree.position.resize(plan.consumers.size());
  tree.nodes.reserve(plan.consumers.size() + 1);
  tree.nodes.emplace_back().policy = plan.policy;
  for (const uint32_t consumer : walk(plan, family)) {
    tree.position[consumer] = static_cast<uint32_t>(tree.nodes.size());
    const uint32_t parent = plan.consumers[consumer].parent;
    tree.nodes.push_back(node_of(plan, consumer));
    if (parent != kNoIndex) tree.nodes.back().parent = tree.position[parent];
  }
  add_up(plan, state, tree);
  inherit(tree);
  order_leaves(plan, tree);
  tree.declared_at.resize(tree.nodes.size());
  for (const uint32_t consumer : declared) {
    tree.declared_at[tree.position[consumer]] = static_cast<uint32_t>(tree.declared.size());
    tree.declared.push_back(tree.position[consumer]);
  }
  return tree;
}

uint32_t common_ancestor(const ConsumerTree& tree, uint32_t a, uint32_t b) {
  while (!tree.within(b, a)) a = tree.nodes[a].parent;
  return a;
}

}  // namespace leasehold
