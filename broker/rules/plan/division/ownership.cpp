#include "broker/rules/plan/division/ownership.hpp"

#include <algorithm>

#include "broker/rules/plan/moves/reclaim.hpp"

namespace leasehold {

/// Returns the slots that a leaf still wants, as far as its parents' limits let it have them from
/// outside.
int64_t Ownership::need(uint32_t leaf) const {
  const int64_t lacks = want_[leaf] - held()[leaf];
  if (lacks <= 0 || !holdings_.connected_owner(leaf)) return 0;
  return std::min(lacks, room_above(leaf, 0));
}

/// Returns the slots that may come into the parents of a leaf, up to but not including `below`.
int64_t Ownership::room_above(uint32_t leaf, uint32_t below) const {
  int64_t room = kUnlimited;
  for (uint32_t p = tree_.nodes[leaf].parent; p != below; p = tree_.nodes[p].parent) {
    room = std::min(room, tree_.nodes[p].limit - held()[p]);
  }
  return std::max<int64_t>(room, 0);
}

int64_t Ownership::share_room_above(uint32_t leaf) const {
  int64_t room = kUnlimited;
  for (uint32_t p = tree_.nodes[leaf].parent; p != 0; p = tree_.nodes[p].parent) {
    room = std::min(room, tree_.nodes[p].share_limit - shared()[p]);
  }
  return std::max<int64_t>(room, 0);
}

bool Ownership::from_idle(uint32_t leaf, int64_t slots, Reason reason) {
  idle_ -= slots;
  holdings_.add_held(leaf, slots);
  steps_.push_back({kNoIndex, leaf, slots, reason, reason});
  return true;
}

bool Ownership::take_own() {
  bool moved = false;
  for (const uint32_t leaf : tree_.by_rank().leaves) {
    if (idle_ == 0) break;
    const int64_t slots = std::min({need(leaf), holdings_.own_idle(leaf), idle_});
    if (slots == 0) continue;
    holdings_.add_own(leaf, slots);
    moved = from_idle(leaf, slots, Reason::own_idle);
  }
  return moved;
}

/// Up to the deserved share; or for anyone up to the share limit (ratio 0: that is 0).
bool Ownership::take_pool(bool deserved_only) {
  bool moved = false;
  for (const uint32_t leaf : tree_.by_rank().leaves) {
    const int64_t idle = std::min(holdings_.pool() - shared()[0], idle_);
    if (idle <= 0) break;
    const int64_t most = deserved_only ? deserved()[leaf] : tree_.nodes[leaf].share_limit;
    const int64_t lacks = std::min(need(leaf), most - shared()[leaf]);
    if (lacks <= 0) continue;
    const int64_t slots = std::min({lacks, share_room_above(leaf), idle});
    if (slots == 0) continue;
    holdings_.add_shared(leaf, slots);
    moved = from_idle(leaf, slots, deserved_only ? Reason::deserved_share : Reason::idle_pool);
  }
  return moved;
}

bool Ownership::borrow() {
  if (idle_ == 0) return false;
  bool moved = false;
  loans().begin_lending([this](uint32_t lender) { return holdings_.lendable(lender); });
  for (const uint32_t leaf : tree_.by_rank().leaves) {
    int64_t lacks = std::min(need(leaf), loans().borrow_limit(leaf) - loans().borrowed(leaf));
    if (lacks <= 0) continue;
    loans().lenders(leaf, [&](uint32_t lender) {
      const int64_t slots = std::min({lacks, holdings_.lendable(lender), idle_});
      if (slots == 0) return false;
      loans().add(leaf, lender, slots);
      moved = from_idle(leaf, slots, Reason::borrow);
      lacks -= slots;
      if (holdings_.lendable(lender) == 0) loans().stop_lending(lender);
      return lacks > 0;
    });
  }
  return moved;
}

bool Ownership::reclaim_lent(uint32_t owner) {
  bool moved = false;
  for (const uint32_t cell : loans().of_lender(owner)) {
    const Loans::Cell loan = loans().at(cell);
    if (!holdings_.connected_owner(loan.borrower)) continue;
    const int64_t lacks = want_[owner] - held()[owner];
    const uint32_t common = common_ancestor(tree_, owner, loan.borrower);
    const int64_t slots = std::min({loan.slots, lacks, room_above(owner, common)});
    if (slots <= 0) continue;
    loans().repay(cell, slots);
    holdings_.add_own(owner, slots);
    holdings_.add_held(loan.borrower, -slots);
    holdings_.add_held(owner, slots);
    steps_.push_back({loan.borrower, owner, slots, Reason::reclaim_owned, Reason::own_idle});
    moved = true;
  }
  return moved;
}

bool Ownership::reclaim_own() {
  bool moved = false;
  for (const uint32_t leaf : tree_.by_rank().leaves) {
    if (loans().lent(leaf) > 0 && holdings_.connected_owner(leaf)) moved |= reclaim_lent(leaf);
  }
  return moved;
}

/// Step 6: leaves below their deserved share claim slots of those above theirs, each of them by
/// claimed(victim, claimant, slots).
template <class Claimed>
void Ownership::claim_pool(Claimed claimed) {
  Reclaim reclaim(tree_, tree_.by_rank());
  for (uint32_t p = 1; p < tree_.nodes.size(); ++p) {
    const ConsumerNode& node = tree_.nodes[p];
    if (node.leaf && holdings_.connected_owner(p)) {
      reclaim.excess[p] = std::max<int64_t>(shared()[p] - deserved()[p], 0);
    } else if (!node.leaf) {
      reclaim.room[p] = std::min(node.limit - held()[p], node.share_limit - shared()[p]);
    }
  }
  for (const uint32_t leaf : tree_.by_rank().leaves) {
    const int64_t lacks = std::min(want_[leaf] - held()[leaf], deserved()[leaf] - shared()[leaf]);
    if (lacks <= 0) continue;
    reclaim.claim(leaf, lacks,
                  [&](uint32_t victim, int64_t slots) { claimed(victim, leaf, slots); });
  }
}

bool Ownership::reclaim_pool() {
  if (!plan_.reclaim_shared) return false;
  bool moved = false;
  claim_pool([&](uint32_t victim, uint32_t claimant, int64_t slots) {
    holdings_.add_held(victim, -slots);
    holdings_.add_shared(victim, -slots);
    holdings_.add_held(claimant, slots);
    holdings_.add_shared(claimant, slots);
    steps_.push_back({victim, claimant, slots, Reason::reclaim_share, Reason::deserved_share});
    moved = true;
  });
  return moved;
}

std::vector<Ownership::Step> Ownership::run() {
  idle_ = std::max<int64_t>(slots_ - held()[0], 0);
  for (bool moved = true; moved; ++rounds_) {
    moved = take_own();
    if (plan_.reclaim_before_borrow) moved |= reclaim_own();
    moved |= take_pool(true);
    moved |= take_pool(false);
    moved |= borrow();
    if (!plan_.reclaim_before_borrow) moved |= reclaim_own();
    moved |= reclaim_pool();
  }
  if (!plan_.reclaim_shared) {
    claim_pool([&](uint32_t victim, uint32_t, int64_t slots) { shrink_[victim] += slots; });
  }
  return std::move(steps_);
}

}  // namespace leasehold
