#include "broker/rules/plan/compiled.hpp"

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

/// The numbers of consumers that the layout reads, by consumer. They are read once, because the
/// rest of a consumer (names, lists) would push all of it out of the caches between two passes.
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

/// Returns false if they stood so already.
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

/// Adds up from the leaves: ranges, and what parents own that name nothing.
void add_up(CompiledPlan& compiled) {
  for (auto p = static_cast<uint32_t>(compiled.nodes.size()); --p > 0;) {
    ConsumerNode& node = compiled.nodes[p];
    node.leaf = node.end == 0;
    node.end = std::max(node.end, p + 1);
    ConsumerNode& parent = compiled.nodes[node.parent];
    parent.end = std::max(parent.end, node.end);
    if (!parent.names_own) parent.owned += node.owned;
  }
  compiled.nodes.front().end = static_cast<uint32_t>(compiled.nodes.size());
}

/// Numbers the leaves as they stand.
void set_places(LeafOrder& order, size_t positions) {
  order.place.resize(positions);
  for (uint32_t i = 0; i < order.leaves.size(); ++i) order.place[order.leaves[i]] = i;
}

/// A leaf without a rank has its nearest ancestor's that has one, else the group's default.
void order_leaves(const Plan& plan, const Read& read, CompiledPlan& compiled) {
  std::vector<int64_t> rank(compiled.nodes.size(), plan.default_rank);
  for (uint32_t p = 1; p < compiled.nodes.size(); ++p) {
    const ConsumerNode& node = compiled.nodes[p];
    rank[p] = read.rank_or(node.consumer, rank[node.parent]);
    if (node.leaf) compiled.by_tree.leaves.push_back(p);
  }
  set_places(compiled.by_tree, compiled.nodes.size());
  compiled.by_rank = compiled.by_tree;
  std::vector<uint32_t>& leaves = compiled.by_rank.leaves;
  const auto higher = [&](uint32_t a, uint32_t b) { return rank[a] < rank[b]; };
  if (std::is_sorted(leaves.begin(), leaves.end(), higher)) return;
  std::stable_sort(leaves.begin(), leaves.end(), higher);
  set_places(compiled.by_rank, compiled.nodes.size());
}

/// Sets from the root down the branch of each, and its policy.
void inherit(CompiledPlan& compiled) {
  for (uint32_t p = 1; p < compiled.nodes.size(); ++p) {
    ConsumerNode& node = compiled.nodes[p];
    const bool root_level = node.parent == 0;
    node.branch = root_level ? p : compiled.nodes[node.parent].branch;
    node.policy = compiled.nodes[node.branch].policy;
    compiled.some_hybrid |= node.policy == PlanPolicy::hybrid;
  }
}

/// Sets the nodes, in the order of `walked`.
void set_nodes(const Plan& plan, const Read& read, const std::vector<uint32_t>& walked,
               CompiledPlan& compiled) {
  const size_t root = read.parent.size();
  compiled.position.resize(root);
  compiled.nodes.reserve(root + 1);
  compiled.nodes.emplace_back().policy = plan.policy;
  for (const uint32_t consumer : walked) {
    compiled.position[consumer] = static_cast<uint32_t>(compiled.nodes.size());
    compiled.nodes.push_back(read.nodes[consumer]);
    const uint32_t parent = read.parent[consumer];
    if (parent != root) compiled.nodes.back().parent = compiled.position[parent];
  }
}

void set_declared(const std::vector<uint32_t>& walked, CompiledPlan& compiled) {
  compiled.declared.reserve(walked.size());
  compiled.declared_at.resize(compiled.nodes.size());
  for (const uint32_t consumer : walked) {
    compiled.declared_at[compiled.position[consumer]] =
        static_cast<uint32_t>(compiled.declared.size());
    compiled.declared.push_back(compiled.position[consumer]);
  }
}

}  // namespace

std::shared_ptr<const CompiledPlan> compile(const Plan& plan) {
  auto compiled = std::make_shared<CompiledPlan>();
  const Read consumers = read(plan);
  Family family = gather_children(consumers);
  const std::vector<uint32_t> declared = walk(family);
  const bool ranked = sort_by_rank(plan, consumers, family);
  set_nodes(plan, consumers, ranked ? walk(family) : declared, *compiled);
  add_up(*compiled);
  inherit(*compiled);
  order_leaves(plan, consumers, *compiled);
  set_declared(declared, *compiled);
  return compiled;
}

}  // namespace leasehold
