#include "broker/rules/plan/division/loans.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace leasehold {

Loans::Loans(const Plan& plan, const ConsumerTree& tree)
    : plan_(plan),
      tree_(tree),
      first_of_borrower_(tree.nodes.size(), kNoIndex),
      first_of_lender_(tree.nodes.size(), kNoIndex),
      borrowed_(tree.nodes.size(), 0),
      lent_(tree.nodes.size(), 0),
      next_lender_(tree.declared().size() + 1, static_cast<uint32_t>(tree.declared().size())) {}

int64_t Loans::borrow_limit(uint32_t borrower) const {
  const PlanConsumer& one = consumer(borrower);
  return one.borrow_limit.value_or(one.borrow_from ? kUnlimited : 0);
}

int64_t Loans::lend_limit(uint32_t lender) const {
  return consumer(lender).lend_limit.value_or(0);
}

bool Loans::is_lender(uint32_t position) const {
  const ConsumerNode& node = tree_.nodes[position];
  return node.leaf && node.policy == PlanPolicy::ownership && lend_limit(position) > 0;
}

/// A parent named in a list means its leaves.
bool Loans::listed(const ConsumerList& list, uint32_t leaf) const {
  return list.everyone ||
         std::any_of(list.consumers.begin(), list.consumers.end(),
                     [&](uint32_t named) { return tree_.within(leaf, tree_.position(named)); });
}

bool Loans::allowed(uint32_t borrower, uint32_t lender) const {
  const PlanConsumer& from = consumer(lender);
  const PlanConsumer& to = consumer(borrower);
  if (borrower == lender || tree_.nodes[lender].policy != PlanPolicy::ownership) return false;
  if (plan_.siblings_only && tree_.nodes[borrower].parent != tree_.nodes[lender].parent) {
    return false;
  }
  // Without borrow_from a borrow limit above 0 is for any lender.
  if (to.borrow_from ? !listed(*to.borrow_from, lender) : borrow_limit(borrower) == 0) return false;
  return !from.lend_to || listed(*from.lend_to, borrower);
}

Loans::Range Loans::range_of(uint32_t position) const {
  if (position == 0) return {0, static_cast<uint32_t>(tree_.declared().size())};
  const uint32_t first = tree_.declared_at(position);
  return {first, first + tree_.nodes[position].end - position};
}

/// Returns the ranges of its lenders, best first; "*" is all in declaration order.
const std::vector<Loans::Range>& Loans::preferred(uint32_t borrower) {
  const PlanConsumer& one = consumer(borrower);
  ranges_.clear();
  if (!one.borrow_from || one.borrow_from->everyone) {
    ranges_.push_back(range_of(plan_.siblings_only ? tree_.nodes[borrower].parent : 0));
    return ranges_;
  }
  for (const uint32_t named : one.borrow_from->consumers) {
    ranges_.push_back(range_of(tree_.position(named)));
  }
  return ranges_;
}

/// Smaller is better; a lender whose loans are not allowed comes last.
size_t Loans::preference(uint32_t borrower, uint32_t lender) const {
  const std::optional<ConsumerList>& list = consumer(borrower).borrow_from;
  if (!allowed(borrower, lender)) return std::numeric_limits<size_t>::max();
  if (!list || list->everyone) return 0;
  const auto named =
      std::find_if(list->consumers.begin(), list->consumers.end(),
                   [&](uint32_t entry) { return tree_.within(lender, tree_.position(entry)); });
  return static_cast<size_t>(named - list->consumers.begin());
}

bool Loans::prefers(uint32_t borrower, uint32_t a, uint32_t b) const {
  return std::pair(preference(borrower, a), tree_.declared_at(a)) <
         std::pair(preference(borrower, b), tree_.declared_at(b));
}

uint32_t Loans::find(uint32_t index) {
  while (next_lender_[index] != index) {
    next_lender_[index] = next_lender_[next_lender_[index]];
    index = next_lender_[index];
  }
  return index;
}

void Loans::add(uint32_t borrower, uint32_t lender, int64_t slots) {
  borrowed_[borrower] += slots;
  lent_[lender] += slots;
  const auto index = static_cast<uint32_t>(cells_.size());
  cells_.push_back(
      {borrower, lender, slots, first_of_borrower_[borrower], first_of_lender_[lender]});
  first_of_borrower_[borrower] = first_of_lender_[lender] = index;
}

void Loans::repay(uint32_t cell, int64_t slots) {
  cells_[cell].slots -= slots;
  borrowed_[cells_[cell].borrower] -= slots;
  lent_[cells_[cell].lender] -= slots;
}

const std::vector<uint32_t>& Loans::of_borrower(uint32_t borrower) {
  found_.clear();
  for (uint32_t i = first_of_borrower_[borrower]; i != kNoIndex; i = cells_[i].next_of_borrower) {
    if (cells_[i].slots > 0) found_.push_back(i);
  }
  std::sort(found_.begin(), found_.end(), [&](uint32_t a, uint32_t b) {
    return prefers(borrower, cells_[b].lender, cells_[a].lender);
  });
  return found_;
}

const std::vector<uint32_t>& Loans::of_lender(uint32_t lender) {
  found_.clear();
  for (uint32_t i = first_of_lender_[lender]; i != kNoIndex; i = cells_[i].next_of_lender) {
    if (cells_[i].slots > 0) found_.push_back(i);
  }
  std::sort(found_.begin(), found_.end(), [&](uint32_t a, uint32_t b) {
    const std::vector<uint32_t>& place = tree_.by_rank().place;
    return place[cells_[a].borrower] > place[cells_[b].borrower];
  });
  return found_;
}

}  // namespace leasehold
