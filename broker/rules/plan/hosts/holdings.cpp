#include "broker/rules/plan/hosts/holdings.hpp"

#include <algorithm>

#include "broker/rules/plan/division/pools.hpp"

namespace leasehold {

OwnershipHoldings::OwnershipHoldings(const Plan& plan, const ConsumerTree& tree,
                                     const std::vector<int64_t>& want, int64_t slots)
    : tree_(tree),
      own_(tree.nodes.size(), 0),
      held_(tree.nodes.size(), 0),
      shared_(tree.nodes.size(), 0),
      loans_(plan, tree) {
  const std::vector<int64_t> pools = share_pools(tree, slots);
  for (const int64_t pool : pools) pool_ += pool;
  deserved_ = deserved_shares(tree, pools, want);
}

bool OwnershipHoldings::connected_owner(uint32_t leaf) const {
  return tree_.nodes[leaf].connected && tree_.nodes[leaf].policy == PlanPolicy::ownership;
}

void OwnershipHoldings::add_held(uint32_t leaf, int64_t slots) {
  for (uint32_t p = leaf; p != 0; p = tree_.nodes[p].parent) held_[p] += slots;
  held_[0] += slots;
}

void OwnershipHoldings::add_shared(uint32_t leaf, int64_t slots) {
  for (uint32_t p = leaf; p != 0; p = tree_.nodes[p].parent) shared_[p] += slots;
  shared_[0] += slots;
}

int64_t OwnershipHoldings::own_idle(uint32_t leaf) const {
  return std::max<int64_t>(tree_.nodes[leaf].owned - own_[leaf] - loans_.lent(leaf), 0);
}

int64_t OwnershipHoldings::lendable(uint32_t lender) const {
  const int64_t more = loans_.lend_limit(lender) - loans_.lent(lender);
  return std::clamp<int64_t>(more, 0, own_idle(lender));
}

bool OwnershipHoldings::stated(uint32_t leaf, const PlanState& state) const {
  const uint32_t consumer = tree_.nodes[leaf].consumer;
  return consumer < state.leaves.size() &&
         (state.leaves[consumer].shared || state.leaves[consumer].borrowed);
}

void OwnershipHoldings::stock_leaf(uint32_t leaf, const LeafState& state) {
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
void OwnershipHoldings::deduce_borrowed(uint32_t leaf) {
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

void OwnershipHoldings::take_stock(const PlanState& state) {
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

}  // namespace leasehold
