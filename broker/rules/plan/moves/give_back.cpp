#include "broker/rules/plan/moves/give_back.hpp"

#include <algorithm>
#include <utility>

namespace leasehold {

void GiveBack::note(const Given& what, Reason reason, PlanMoves& moves) {
  holdings_.add_held(what.leaf, -what.slots);
  moves.give_back(what.leaf, what.slots, reason);
  if (!plan_.consumers[tree_.nodes[what.leaf].consumer].rebalance) given_.push_back(what);
}

/// Gives to the least preferred lender first.
int64_t GiveBack::give_loans(uint32_t leaf, int64_t most, Reason reason, PlanMoves& moves) {
  int64_t given = 0;
  if (holdings_.loans().borrowed(leaf) == 0) return 0;
  for (const uint32_t cell : holdings_.loans().of_borrower(leaf)) {
    const int64_t slots = std::min(holdings_.loans().at(cell).slots, most - given);
    if (slots == 0) break;
    holdings_.loans().repay(cell, slots);
    note({leaf, holdings_.loans().at(cell).lender, Kind::borrowed, slots}, reason, moves);
    given += slots;
  }
  return given;
}

int64_t GiveBack::give(Kind kind, uint32_t leaf, int64_t most, Reason reason, PlanMoves& moves) {
  if (most <= 0) return 0;
  if (kind == Kind::borrowed) return give_loans(leaf, most, reason, moves);
  const int64_t slots = std::min(most, kind == Kind::shared ? shared(leaf) : holdings_.own(leaf));
  if (slots == 0) return 0;
  if (kind == Kind::shared) holdings_.add_shared(leaf, -slots);
  if (kind == Kind::owned) holdings_.add_own(leaf, -slots);
  note({leaf, kNoIndex, kind, slots}, reason, moves);
  return slots;
}

void GiveBack::any(uint32_t leaf, int64_t slots, Reason reason, PlanMoves& moves) {
  for (const Kind kind : {Kind::borrowed, Kind::shared, Kind::owned}) {
    slots -= give(kind, leaf, slots, reason, moves);
  }
}

void GiveBack::of_leaf(uint32_t leaf, PlanMoves& moves) {
  const ConsumerNode& node = tree_.nodes[leaf];
  any(leaf, held(leaf) - node.limit, Reason::over_limit, moves);
  give(Kind::shared, leaf, shared(leaf) - node.share_limit, Reason::over_share_limit, moves);
  if (holdings_.loans().borrowed(leaf) > 0) {
    for (const uint32_t cell : holdings_.loans().of_borrower(leaf)) {
      const Loans::Cell loan = holdings_.loans().at(cell);
      if (holdings_.loans().allowed(leaf, loan.lender)) continue;
      holdings_.loans().repay(cell, loan.slots);
      note({leaf, loan.lender, Kind::borrowed, loan.slots}, Reason::loan_not_allowed, moves);
    }
    give(Kind::borrowed, leaf,
         holdings_.loans().borrowed(leaf) - holdings_.loans().borrow_limit(leaf),
         Reason::over_borrow_limit, moves);
  }
  give(Kind::owned, leaf, holdings_.own(leaf) - node.owned, Reason::over_owned, moves);
}

/// Its leaves that take part, in reverse priority order.
std::vector<uint32_t> GiveBack::losers_in(uint32_t parent) const {
  std::vector<uint32_t> leaves;
  for (uint32_t p = parent + 1; p < tree_.nodes[parent].end; ++p) {
    if (tree_.nodes[p].leaf && holdings_.connected_owner(p)) leaves.push_back(p);
  }
  const std::vector<uint32_t>& place = tree_.by_rank().place;
  std::sort(leaves.begin(), leaves.end(),
            [&](uint32_t a, uint32_t b) { return place[a] > place[b]; });
  return leaves;
}

/// Borrowed slots of all its leaves go before shared ones, those before owned ones.
void GiveBack::of_parent(uint32_t parent, PlanMoves& moves) {
  const ConsumerNode& node = tree_.nodes[parent];
  if (held(parent) <= node.limit && shared(parent) <= node.share_limit) return;
  const std::vector<uint32_t> losers = losers_in(parent);
  for (const Kind kind : {Kind::borrowed, Kind::shared, Kind::owned}) {
    for (const uint32_t leaf : losers) {
      give(kind, leaf, held(parent) - node.limit, Reason::over_limit, moves);
    }
  }
  for (const uint32_t leaf : losers) {
    const int64_t beyond = shared(parent) - node.share_limit;
    give(Kind::shared, leaf, beyond, Reason::over_share_limit, moves);
  }
}

void GiveBack::lent(uint32_t lender, PlanMoves& moves) {
  const int64_t unused = std::max<int64_t>(tree_.nodes[lender].owned - holdings_.own(lender), 0);
  int64_t slots =
      holdings_.loans().lent(lender) - std::min(holdings_.loans().lend_limit(lender), unused);
  if (slots <= 0) return;
  for (const uint32_t cell : holdings_.loans().of_lender(lender)) {
    const Loans::Cell loan = holdings_.loans().at(cell);
    if (!holdings_.connected_owner(loan.borrower)) continue;
    const int64_t part = std::min(slots, loan.slots);
    if (part == 0) break;
    holdings_.loans().repay(cell, part);
    note({loan.borrower, lender, Kind::borrowed, part}, Reason::over_lent, moves);
    slots -= part;
  }
}

void GiveBack::beyond_pools(PlanMoves& moves) {
  for (size_t i = tree_.by_rank().leaves.size(); i-- > 0 && shared(0) > holdings_.pool();) {
    const uint32_t leaf = tree_.by_rank().leaves[i];
    if (!holdings_.connected_owner(leaf)) continue;
    const int64_t most =
        std::min(shared(leaf) - holdings_.deserved()[leaf], shared(0) - holdings_.pool());
    give(Kind::shared, leaf, most, Reason::over_pool, moves);
  }
}

/// More is held than there is: borrowed slots first, then shared, then owned.
void GiveBack::missing(PlanMoves& moves) {
  for (const Kind kind : {Kind::borrowed, Kind::shared, Kind::owned}) {
    for (size_t i = tree_.by_rank().leaves.size(); i-- > 0 && held(0) > slots_;) {
      const uint32_t leaf = tree_.by_rank().leaves[i];
      if (!holdings_.connected_owner(leaf)) continue;
      give(kind, leaf, held(0) - slots_, Reason::slots_lost, moves);
    }
  }
}

void GiveBack::run(PlanMoves& moves) {
  for (const uint32_t leaf : tree_.by_rank().leaves) {
    if (holdings_.connected_owner(leaf)) of_leaf(leaf, moves);
  }
  for (auto p = static_cast<uint32_t>(tree_.nodes.size()); --p > 0;) {
    const ConsumerNode& node = tree_.nodes[p];
    if (!node.leaf && node.policy == PlanPolicy::ownership) of_parent(p, moves);
  }
  for (const uint32_t leaf : tree_.by_rank().leaves) {
    if (holdings_.loans().lent(leaf) > 0) lent(leaf, moves);
  }
  beyond_pools(moves);
  missing(moves);
}

void GiveBack::keep(const PlanMoves::Kept& kept) {
  const auto in_order = [this](const Given& a, const Given& b) {
    if (a.leaf != b.leaf || a.kind != b.kind) {
      return std::pair(a.leaf, a.kind) < std::pair(b.leaf, b.kind);
    }
    return a.kind == Kind::borrowed && holdings_.loans().prefers(a.leaf, a.lender, b.lender);
  };
  std::stable_sort(given_.begin(), given_.end(), in_order);
  holdings_.add_held(kept.leaf, kept.slots);
  int64_t rest = kept.slots;
  for (Given& what : given_) {
    if (what.leaf != kept.leaf) continue;
    const int64_t slots = std::min(what.slots, rest);
    what.slots -= slots;
    rest -= slots;
    if (what.kind == Kind::owned) holdings_.add_own(kept.leaf, slots);
    if (what.kind == Kind::shared) holdings_.add_shared(kept.leaf, slots);
    if (what.kind == Kind::borrowed && slots > 0) {
      holdings_.loans().add(kept.leaf, what.lender, slots);
    }
  }
}

}  // namespace leasehold
