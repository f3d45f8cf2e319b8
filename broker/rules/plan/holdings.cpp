// Holdings of leaves at the start of a cycle of ownership (broker/rules/plan/README.md,
// "Ownership"): as the state says, or else owned first, then shared, then borrowed.
#include <algorithm>
#include <utility>

#include "broker/rules/plan/ownership.hpp"
#include "broker/rules/plan/pools.hpp"

namespace leasehold {

Ownership::Ownership(const Plan& plan, const ConsumerTree& tree, const std::vector<int64_t>& want,
                     int64_t slots)
    : plan_(plan),
      tree_(tree),
      want_(want),
      slots_(slots),
      own_(tree.nodes.size(), 0),
      held_(tree.nodes.size(), 0),
      shared_(tree.nodes.size(), 0),
      loans_(plan, tree) {
  const std::vector<int64_t> pools = share_pools(tree, slots);
  for (const int64_t pool : pools) pool_ += pool;
  deserved_ = deserved_shares(tree, pools, want);
}

bool Ownership::connected_owner(uint32_t leaf) const {
  return tree_.nodes[leaf].connected && tree_.nodes[leaf].policy == PlanPolicy::ownership;
}

void Ownership::add_held(uint32_t leaf, int64_t slots) {
  for (uint32_t p = leaf; p != 0; p = tree_.nodes[p].parent) held_[p] += slots;
  held_[0] += slots;
}

void Ownership::add_shared(uint32_t leaf, int64_t slots) {
  for (uint32_t p = leaf; p != 0; p = tree_.nodes[p].parent) shared_[p] += slots;
  shared_[0] += slots;
}

bool Ownership::stated(uint32_t leaf, const PlanState& state) const {
  const uint32_t consumer = tree_.nodes[leaf].consumer;
  return consumer < state.leaves.size() &&
         (state.leaves[consumer].shared || state.leaves[consumer].borrowed);
}

void Ownership::stock_leaf(uint32_t leaf, const LeafState& state) {
  int64_t own = state.allocated - state.shared.value_or(0);
  add_shared(leaf, state.shared.value_or(0));
  if (state.borrowed) {
    for (const Loan& loan : *state.borrowed) {
      loans_.add(leaf, tree_.position(loan.lender), loan.slots);
      own -= loan.slots;
    }
  }
  own_[leaf] = std::max<int64_t>(own, 0);
}

/// From its lenders by preference, as far as they have idle slots to lend.
void Ownership::deduce_borrowed(uint32_t leaf) {
  int64_t rest = std::min(own_[leaf] - tree_.nodes[leaf].owned, loans_.borrow_limit(leaf));
  if (rest <= 0) return;
  loans_.lenders(leaf, [&](uint32_t lender) {
    const int64_t slots = std::min(rest, lendable(lender));
    loans_.add(leaf, lender, slots);
    own_[leaf] -= slots;
    rest -= slots;
    if (lendable(lender) == 0) loans_.stop_lending(lender);
    return rest > 0;
  });
}

void Ownership::take_stock(const PlanState& state) {
  std::vector<uint32_t> unstated;
  for (const uint32_t leaf : tree_.by_rank().leaves) {
    const ConsumerNode& node = tree_.nodes[leaf];
    if (node.policy != PlanPolicy::ownership) continue;
    add_held(leaf, node.allocated);
    own_[leaf] = node.allocated;
    if (stated(leaf, state)) {
      stock_leaf(leaf, state.leaves[node.consumer]);
    } else if (node.allocated > node.owned) {
      unstated.push_back(leaf);
    }
  }
  for (const uint32_t leaf : unstated) {
    const int64_t beyond = own_[leaf] - tree_.nodes[leaf].owned;
    const int64_t slots = std::clamp<int64_t>(pool_ - shared_[0], 0, beyond);
    own_[leaf] -= slots;
    add_shared(leaf, slots);
  }
  // The rest above ownership may be borrowed: it uses none of the owner's own slots.
  loans_.begin_lending([this](uint32_t lender) { return lendable(lender); });
  for (const uint32_t leaf : unstated) deduce_borrowed(leaf);
}

/// Takes back slots that the leaf gave back: the owned first, then shared, then loans, the
/// preferred first. That is the reverse of how they are taken.
void Ownership::keep(const PlanMoves::Kept& kept) {
  const auto in_order = [this](const GivenBack& a, const GivenBack& b) {
    if (a.leaf != b.leaf || a.kind != b.kind) {
      return std::pair(a.leaf, a.kind) < std::pair(b.leaf, b.kind);
    }
    return a.kind == Kind::borrowed && loans_.prefers(a.leaf, a.lender, b.lender);
  };
  std::stable_sort(given_back_.begin(), given_back_.end(), in_order);
  add_held(kept.leaf, kept.slots);
  int64_t rest = kept.slots;
  for (GivenBack& what : given_back_) {
    if (what.leaf != kept.leaf) continue;
    const int64_t slots = std::min(what.slots, rest);
    what.slots -= slots;
    rest -= slots;
    if (what.kind == Kind::owned) own_[kept.leaf] += slots;
    if (what.kind == Kind::shared) add_shared(kept.leaf, slots);
    if (what.kind == Kind::borrowed && slots > 0) loans_.add(kept.leaf, what.lender, slots);
  }
}

}  // namespace leasehold
