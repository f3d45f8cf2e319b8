// Loans of ownership: who may borrow from whom, in which order, and what is borrowed now
// (broker/rules/plan/README.md, "Ownership"; Symphony, "Owning, lending, borrowing, sharing").
// Pure. Not when something is lent or returned: that is the cycle (ownership.hpp).
//
// Contract: borrowers and lenders are positions of leaves; only ownership leaves lend and borrow.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan/tree.hpp"

namespace leasehold {

class Loans {
 public:
  struct Cell {
    uint32_t borrower;
    uint32_t lender;
    int64_t slots;
    uint32_t next_of_borrower;
    uint32_t next_of_lender;
  };

  Loans(const Plan& plan, const ConsumerTree& tree);

  /// Returns 0 without borrow_from, unlimited with it, if the plan gives none.
  int64_t borrow_limit(uint32_t borrower) const;
  /// Returns 0 if the plan gives none.
  int64_t lend_limit(uint32_t lender) const;
  /// True if both lists and siblings_only allow it.
  bool allowed(uint32_t borrower, uint32_t lender) const;

  void add(uint32_t borrower, uint32_t lender, int64_t slots);
  /// True if the borrower takes of `a` before it takes of `b`.
  bool prefers(uint32_t borrower, uint32_t a, uint32_t b) const;
  /// Gives back `slots` of one loan.
  void repay(uint32_t cell, int64_t slots);
  Cell& at(uint32_t cell) { return cells_[cell]; }
  int64_t borrowed(uint32_t borrower) const { return borrowed_[borrower]; }
  int64_t lent(uint32_t lender) const { return lent_[lender]; }
  /// Cells with slots: of a borrower least preferred lender first; of a lender in reverse priority
  /// order of the borrowers. Good until the next call of either.
  const std::vector<uint32_t>& of_borrower(uint32_t borrower);
  const std::vector<uint32_t>& of_lender(uint32_t lender);

  /// Before lenders(): those for which idle(lender) > 0 are looked at.
  template <class Idle>
  void begin_lending(Idle idle) {
    for (auto i = static_cast<uint32_t>(tree_.declared().size()); i-- > 0;) {
      const uint32_t p = tree_.declared()[i];
      next_lender_[i] = is_lender(p) && idle(p) > 0 ? i : i + 1;
    }
  }
  /// Calls lend(lender) -> bool for each allowed lender, by preference, until it says false.
  template <class Lend>
  void lenders(uint32_t borrower, Lend lend) {
    for (const Range& range : preferred(borrower)) {
      for (uint32_t i = find(range.first); i < range.last; i = find(i + 1)) {
        const uint32_t lender = tree_.declared()[i];
        if (allowed(borrower, lender) && !lend(lender)) return;
      }
    }
  }
  void stop_lending(uint32_t lender) {
    next_lender_[tree_.declared_at(lender)] = tree_.declared_at(lender) + 1;
  }

 private:
  /// A range of positions in ConsumerTree::declared.
  struct Range {
    uint32_t first;
    uint32_t last;
  };
  const PlanConsumer& consumer(uint32_t position) const {
    return plan_.consumers[tree_.nodes[position].consumer];
  }
  bool is_lender(uint32_t position) const;
  bool listed(const ConsumerList& list, uint32_t leaf) const;
  Range range_of(uint32_t position) const;
  const std::vector<Range>& preferred(uint32_t borrower);
  size_t preference(uint32_t borrower, uint32_t lender) const;
  uint32_t find(uint32_t index);

  const Plan& plan_;
  const ConsumerTree& tree_;
  std::vector<Cell> cells_;
  std::vector<uint32_t> first_of_borrower_;
  std::vector<uint32_t> first_of_lender_;
  std::vector<int64_t> borrowed_;
  std::vector<int64_t> lent_;
  std::vector<uint32_t> next_lender_;  // union-find over ConsumerTree::declared
  std::vector<uint32_t> found_;
  std::vector<Range> ranges_;
};

}  // namespace leasehold
