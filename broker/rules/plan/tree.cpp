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

/// What laying out reads of the consumers, by consumer: read once, because what else they have
/// (names, lists) would push all of it out of the caches between two passes.
struct Read {
  std::vector<uint32_t> parent;  // as many as there are consumers: the root
  std::vector<int64_t> rank;     // kNone: none is named
  std::vector<ConsumerNode> nodes;

  static constexpr int64_t kNone = INT64_MIN;
  int64_t rank_or(uint32_t consumer, int64_t otherwise) const {
    return rank[consumer] == kNone ? otherwise : rank[consumer];
  }
};

ConsumerNode node_of(const Plan& plan, uint32_t consumer) {
  const PlanConsumer& from = plan.consumers[consumer];
  ConsumerNode node;
  node.consumer = consumer;
  node.policy = from.policy.value_or(plan.policy);
  node.names_own = from.owned.has_value();
  node.owned = from.owned.value_or(0);
  node.reserved = from.reserved.value_or(ConsumerNode::kNoReserve);
  node.limit = from.limit.value_or(kUnlimited);
  node.share_ratio = from.share_ratio.value_or(1);
  node.share_limit = node.share_ratio == 0 ? 0 : from.share_limit.value_or(kUnlimited);
  return node;
}

Read read(const Plan& plan) {
  const auto root = static_cast<uint32_t>(plan.consumers.size());
  Read read;
  read.parent.reserve(root);
  read.rank.reserve(root);
  read.nodes.reserve(root);
  for (uint32_t c = 0; c < root; ++c) {
    const PlanConsumer& from = plan.consumers[c];
    read.parent.push_back(from.parent == kNoIndex ? root : from.parent);
    read.rank.push_back(from.rank.value_or(Read::kNone));
    read.nodes.push_back(node_of(plan, c));
  }
  return read;
}

Family gather_children(const Read& read) {
  Family family;
  family.first.assign(read.parent.size() + 2, 0);
  for (const uint32_t parent : read.parent) ++family.first[parent + 1];
  for (size_t i = 1; i < family.first.size(); ++i) family.first[i] += family.first[i - 1];
  family.children.resize(read.parent.size());
  std::vector<uint32_t> next(family.first.begin(), family.first.end() - 1);
  for (uint32_t c = 0; c < read.parent.size(); ++c) family.children[next[read.parent[c]]++] = c;
  return family;
}

/// False: they stood so.
bool sort_by_rank(const Plan& plan, const Read& read, Family& family) {
  const auto rank = [&](uint32_t c) { return read.rank_or(c, plan.default_rank); };
  const auto higher = [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); };
  bool moved = false;
  for (uint32_t c = 0; c <= read.parent.size(); ++c) {
    const std::span<uint32_t> children = family.of(c);
    if (std::is_sorted(children.begin(), children.end(), higher)) continue;
    std::stable_sort(children.begin(), children.end(), higher);
    moved = true;
  }
  return moved;
}

/// The consumers depth first, parents first. No recursion: trees may be of any depth.
std::vector<uint32_t> walk(Family& family) {
  const auto root = static_cast<uint32_t>(family.children.size());
  std::vector<uint32_t> order;
  order.reserve(root);
  std::vector<uint32_t> waiting;
  const auto expect_children = [&](uint32_t consumer) {
    const std::span<uint32_t> children = family.of(consumer);
    waiting.insert(waiting.end(), children.rbegin(), children.rend());
  };
  expect_children(root);
  while (!waiting.empty()) {
    order.push_back(waiting.back());
    waiting.pop_back();
    expect_children(order.back());
  }
  return order;
}

void set_state(ConsumerNode& node, const LeafState& state) {
  node.connected = state.connected;
  node.allocated = state.allocated;
  node.demand = state.connected ? state.demand : state.allocated;  // it keeps what it holds
}

/// From the leaves up: ranges, leaves' states and the sums of parents.
void add_up(const PlanState& state, ConsumerTree& tree) {
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
    if (!parent.names_own) parent.owned += node.owned;
  }
  tree.nodes.front().end = static_cast<uint32_t>(tree.nodes.size());
}

/// Numbers the leaves as they stand.
void set_places(LeafOrder& order, size_t positions) {
  order.place.resize(positions);
  for (uint32_t i = 0; i < order.leaves.size(); ++i) order.place[order.leaves[i]] = i;
}

/// A leaf without a rank has its nearest ancestor's that has one, else the group's default.
void order_leaves(const Plan& plan, const Read& read, ConsumerTree& tree) {
  std::vector<int64_t> rank(tree.nodes.size(), plan.default_rank);
  for (uint32_t p = 1; p < tree.nodes.size(); ++p) {
    const ConsumerNode& node = tree.nodes[p];
    rank[p] = read.rank_or(node.consumer, rank[node.parent]);
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

namespace {

/// The nodes, in the order of `walked`.
void set_nodes(const Plan& plan, const Read& read, const std::vector<uint32_t>& walked,
               ConsumerTree& tree) {
  const size_t root = read.parent.size();
  tree.position.resize(root);
  tree.nodes.reserve(root + 1);
  tree.nodes.emplace_back().policy = plan.policy;
  for (const uint32_t consumer : walked) {
    tree.position[consumer] = static_cast<uint32_t>(tree.nodes.size());
    tree.nodes.push_back(read.nodes[consumer]);
    const uint32_t parent = read.parent[consumer];
    if (parent != root) tree.nodes.back().parent = tree.position[parent];
  }
}

void set_declared(const std::vector<uint32_t>& walked, ConsumerTree& tree) {
  tree.declared.reserve(walked.size());
  tree.declared_at.resize(tree.nodes.size());
  for (const uint32_t consumer : walked) {
    tree.declared_at[tree.position[consumer]] = static_cast<uint32_t>(tree.declared.size());
    tree.declared.push_back(tree.position[consumer]);
  }
}

}  // namespace

ConsumerTree lay_out(const Plan& plan, const PlanState& state) {
  ConsumerTree tree;
  tree.slots = state.slots.value_or(plan.slots.value_or(0));
  tree.configured = plan.slots.value_or(tree.slots);
  const Read consumers = read(plan);
  Family family = gather_children(consumers);
  const std::vector<uint32_t> declared = walk(family);
  const bool ranked = sort_by_rank(plan, consumers, family);
  set_nodes(plan, consumers, ranked ? walk(family) : declared, tree);
  add_up(state, tree);
  inherit(tree);
  order_leaves(plan, consumers, tree);
  set_declared(declared, tree);
  return tree;
}

uint32_t common_ancestor(const ConsumerTree& tree, uint32_t a, uint32_t b) {
  while (!tree.within(b, a)) a = tree.nodes[a].parent;
  return a;
}

}  // namespace leasehold
