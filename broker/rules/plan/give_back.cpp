// Step 1 of a cycle of ownership: what is given back at once, wanted or not, because the plan does
// not allow it (broker/rules/plan/README.md, "Ownership" and "Windows"; Symphony, "Resource
// reclaim").
#include <algorithm>

#include "broker/rules/plan/ownership.hpp"

namespace leasehold {

void Ownership::given_back(const GivenBack& what, Reason reason, PlanMoves& moves) {
  add_held(what.leaf, -what.slots);
  moves.give_back(what.leaf, what.slots, reason);
  if (!plan_.consumers[tree_.nodes[what.leaf].consumer].rebalance) given_back_.push_back(what);
}

/// Least preferred lender first.
int64_t Ownership::give_back_loans(uint32_t leaf, int64_t most, Reason reason, PlanMoves& moves) {
  int64_t given = 0;
  if (loans_.borrowed(leaf) == 0) return 0;
  for (const uint32_t cell : loans_.of_borrower(leaf)) {
    const int64_t slots = std::min(loans_.at(cell).slots, most - given);
    if (slots == 0) break;
    loans_.repay(cell, slots);
    given_back({leaf, loans_.at(cell).lender, Kind::borrowed, slots}, reason, moves);
    given += slots;
  }
  return given;
}

int64_t Ownership::give_back(Kind kind, uint32_t leaf, int64_t most, Reason reason,
                             PlanMoves& moves) {
  if (most <= 0) return 0;
  if (kind == Kind::borrowed) return give_back_loans(leaf, most, reason, moves);
  const int64_t slots = std::min(most, kind == Kind::shared ? shared_[leaf] : own_[leaf]);
  if (slots == 0) return 0;
  if (kind == Kind::shared) add_shared(leaf, -slots);
  if (kind == Kind::owned) own_[leaf] -= slots;
  given_back({leaf, kNoIndex, kind, slots}, reason, moves);
  return slots;
}

void Ownership::give_back_any(uint32_t leaf, int64_t slots, Reason reason, PlanMoves& moves) {
  for (const Kind kind : {Kind::borrowed, Kind::shared, Kind::owned}) {
    slots -= give_back(kind, leaf, slots, reason, moves);
  }
}

void Ownership::give_back_leaf(uint32_t leaf, PlanMoves& moves) {
  const ConsumerNode& node = tree_.nodes[leaf];
  give_back_any(leaf, held_[leaf] - node.limit, Reason::over_limit, moves);
  give_back(Kind::shared, leaf, shared_[leaf] - node.share_limit, Reason::over_share_limit, moves);
  if (loans_.borrowed(leaf) > 0) {
    for (const uint32_t cell : loans_.of_borrower(leaf)) {
      const Loans::Cell loan = loans_.at(cell);
      if (loans_.allowed(leaf, loan.lender)) continue;
      loans_.repay(cell, loan.slots);
      given_back({leaf, loan.lender, Kind::borrowed, loan.slots}, Reason::loan_not_allowed, moves);
    }
    give_back(Kind::borrowed, leaf, loans_.borrowed(leaf) - loans_.borrow_limit(leaf),
              Reason::over_borrow_limit, moves);
  }
  give_back(Kind::owned, leaf, own_[leaf] - node.owned, Reason::over_owned, moves);
}

/// Its leaves that take part, in reverse priority order.
std::vector<uint32_t> Ownership::losers_in(uint32_t parent) const {
  std::vector<uint32_t> leaves;
  for (uint32_t p = parent + 1; p < tree_.nodes[parent].end; ++p) {
    if (tree_.nodes[p].leaf && connected_owner(p)) leaves.push_back(p);
  }
  const std::vector<uint32_t>& place = tree_.by_rank().place;
  std::sort(leaves.begin(), leaves.end(),
            [&](uint32_t a, uint32_t b) { return place[a] > place[b]; });
  return leaves;
}

/// Borrowed slots of all its leaves go before shared ones, those before owned ones.
void Ownership::give_back_parent(uint32_t parent, PlanMoves& moves) {
  const ConsumerNode& node = tree_.nodes[parent];
  if (held_[parent] <= node.limit && shared_[parent] <= node.share_limit) return;
  const std::vector<uint32_t> losers = losers_in(parent);
  for (const Kind kind : {Kind::borrowed, Kind::shared, Kind::owned}) {
    for (const uint32_t leaf : losers) {
      give_back(kind, leaf, held_[parent] - node.limit, Reason::over_limit, moves);
    }
  }
  for (const uint32_t leaf : losers) {
    const int64_t beyond = shared_[parent] - node.share_limit;
    give_back(Kind::shared, leaf, beyond, Reason::over_share_limit, moves);
  }
}

void Ownership::give_back_lent(uint32_t lender, PlanMoves& moves) {
  const int64_t unused = std::max<int64_t>(tree_.nodes[lender].owned - own_[lender], 0);
  int64_t slots = loans_.lent(lender) - std::min(loans_.lend_limit(lender), unused);
  if (slots <= 0) return;
  for (const uint32_t cell : loans_.of_lender(lender)) {
    const Loans::Cell loan = loans_.at(cell);
    if (!connected_owner(loan.borrower)) continue;
    const int64_t part = std::min(slots, loan.slots);
    if (part == 0) break;
    loans_.repay(cell, part);
    given_back({loan.borrower, lender, Kind::borrowed, part}, Reason::over_lent, moves);
    slots -= part;
  }
}

void Ownership::give_back_beyond_pools(PlanMoves& moves) {
  for (size_t i = tree_.by_rank().leaves.size(); i-- > 0 && shared_[0] > pool_;) {
    const uint32_t leaf = tree_.by_rank().leaves[i];
    if (!connected_owner(leaf)) continue;
    const int64_t most = std::min(shared_[leaf] - deserved_[leaf], shared_[0] - pool_);
    give_back(Kind::shared, leaf, most, Reason::over_pool, moves);
  }
}

/// More is held than there is: borrowed slots first, then shared, then owned.
void Ownership::give_back_missing(PlanMoves& moves) {
  for (const Kind kind : {Kind::borrowed, Kind::shared, Kind::owned}) {
    for (size_t i = tree_.by_rank().leaves.size(); i-- > 0 && held_[0] > slots_;) {
      const uint32_t leaf = tree_.by_rank().leaves[i];
      if (!connected_owner(leaf)) continue;
      give_back(kind, leaf, held_[0] - slots_, Reason::slots_lost, moves);
    }
  }
}

void Ownership::give_back_at_once(PlanMoves& moves) {
  for (const uint32_t leaf : tree_.by_rank().leaves) {
    if (connected_owner(leaf)) give_back_leaf(leaf, moves);
  }
  for (auto p = static_cast<uint32_t>(tree_.nodes.size()); --p > 0;) {
    const ConsumerNode& node = tree_.nodes[p];
    if (!node.leaf && node.policy == PlanPolicy::ownership) give_back_parent(p, moves);
  }
  for (const uint32_t leaf : tree_.by_rank().leaves) {
    if (loans_.lent(leaf) > 0) give_back_lent(leaf, moves);
  }
  give_back_beyond_pools(moves);
  give_back_missing(moves);
}

}  // namespace leasehold
