#include "broker/rules/plan/rows.hpp"

#include <algorithm>

namespace leasehold {

namespace {

class RowWriter {
 public:
  explicit RowWriter(const RowSources& from)
      : from_(from), nodes_(from.tree.nodes), rows_(from.tree.declared().size()) {}

  std::vector<PlanRow> write() {
    for (uint32_t p = 1; p < nodes_.size(); ++p) set_own_numbers(p);
    set_changes();
    for (const uint32_t leaf : from_.tree.by_tree().leaves) set_leaf(leaf);
    charge_lent();
    add_up();
    set_free();
    return std::move(rows_);
  }

 private:
  PlanRow& row_at(uint32_t p) { return p == 0 ? root_ : rows_[from_.tree.declared_at(p)]; }

  void set_own_numbers(uint32_t p) {
    PlanRow& row = row_at(p);
    row.consumer = nodes_[p].consumer;
    row.demand = nodes_[p].demand;
    row.allocated = nodes_[p].allocated;
    row.owned = from_.quotas.own[p];
    row.reserved = from_.quotas.reserved[p];
    if (nodes_[p].limit < kUnlimited) row.limit = nodes_[p].limit;
  }

  void set_changes() {
    for (const PlanMove& move : from_.moves) {
      if (move.from != kNoIndex) row_at(from_.tree.position(move.from)).change -= move.slots;
      if (move.to != kNoIndex) row_at(from_.tree.position(move.to)).change += move.slots;
    }
  }

  void set_leaf(uint32_t leaf) {
    PlanRow& row = row_at(leaf);
    switch (nodes_[leaf].policy) {
      case PlanPolicy::ownership:
        set_owner(leaf, row);
        break;
      case PlanPolicy::share_ratio:
        row.quota = from_.quotas.quota[leaf];
        row.shared = row.allocated + row.change;
        row.shrink = from_.distribution.shrink(leaf);
        break;
      case PlanPolicy::hybrid:
        row.quota = from_.quotas.quota[leaf];
        row.borrowed = std::max<int64_t>(row.allocated + row.change - row.owned, 0);
        row.shrink = from_.distribution.shrink(leaf);
        break;
    }
  }

  void set_owner(uint32_t leaf, PlanRow& row) {
    Ownership& owner = *from_.ownership;
    row.quota = owner.held()[leaf];
    row.shared = owner.shared()[leaf];
    row.borrowed = owner.loans().borrowed(leaf);
    row.lent = owner.loans().lent(leaf);
    row.shrink = owner.shrink()[leaf];
    if (row.borrowed == 0) return;
    for (const uint32_t cell : owner.loans().of_borrower(leaf)) {
      const Loans::Cell& loan = owner.loans().at(cell);
      row.loans.push_back({nodes_[loan.lender].consumer, loan.slots});
    }
    join_loans(row.loans);
  }

  static void join_loans(std::vector<Loan>& loans) {
    std::sort(loans.begin(), loans.end(),
              [](const Loan& a, const Loan& b) { return a.lender < b.lender; });
    size_t last = 0;
    for (size_t i = 1; i < loans.size(); ++i) {
      if (loans[i].lender == loans[last].lender) {
        loans[last].slots += loans[i].slots;
      } else {
        loans[++last] = loans[i];
      }
    }
    loans.resize(last + 1);
  }

  bool hybrid(uint32_t p) const { return nodes_[p].policy == PlanPolicy::hybrid; }

  /// All that is borrowed under hybrid, less the slots nobody owns, was lent by those who hold less
  /// than they own, above their reserve.
  void charge_lent() {
    int64_t lent = 0;
    int64_t nobodys = from_.scale.slots;
    for (const uint32_t leaf : from_.tree.by_tree().leaves) {
      if (!hybrid(leaf)) continue;
      lent += row_at(leaf).borrowed;
      nobodys -= row_at(leaf).owned;
    }
    lent -= std::max<int64_t>(nobodys, 0);
    for (const uint32_t leaf : from_.tree.by_tree().leaves) {
      if (lent <= 0) break;
      PlanRow& row = row_at(leaf);
      if (!hybrid(leaf)) continue;
      const int64_t unused = row.owned - std::max(row.allocated + row.change, row.reserved);
      row.lent = std::clamp<int64_t>(unused, 0, lent);
      lent -= row.lent;
    }
  }

  /// Parents: the sums of their leaves; but owned, reserved and limit are their own.
  void add_up() {
    for (auto p = static_cast<uint32_t>(nodes_.size()); --p > 0;) {
      PlanRow& parent = row_at(nodes_[p].parent);
      const PlanRow& row = row_at(p);
      parent.quota += row.quota;
      parent.borrowed += row.borrowed;
      parent.lent += row.lent;
      parent.shared += row.shared;
      parent.change += row.change;
      parent.shrink += row.shrink;
    }
  }

  bool some_want_more() const {
    for (uint32_t p = 1; p < nodes_.size(); ++p) {
      if (hybrid(p) && from_.quotas.want[p] > nodes_[p].allocated) return true;
    }
    return false;
  }

  /// `free`: broker/rules/plan/README.md, "Printed numbers".
  void set_free() {
    const ConsumerTree& tree = from_.tree;
    const int64_t idle = std::max<int64_t>(tree.slots - tree.root().allocated, 0);
    const bool short_of_slots = some_want_more();
    for (auto p = static_cast<uint32_t>(nodes_.size()); --p > 0;) {
      if (!hybrid(p)) continue;
      PlanRow& row = row_at(p);
      if (short_of_slots) {
        row.free = std::max(row.free, row.reserved - row.allocated);
        row_at(nodes_[p].parent).free += row.free;
      } else if (tree.configured > 0) {
        row.free = static_cast<int64_t>(Wide{idle} * nodes_[p].owned / tree.configured);
      }
    }
  }

  const RowSources& from_;
  const std::vector<ConsumerNode>& nodes_;
  std::vector<PlanRow> rows_;  // as declared
  PlanRow root_;               // sums that nobody reads
};

}  // namespace

std::vector<PlanRow> rows_of(const RowSources& from) {
  return RowWriter(from).write();
}

}  // namespace leasehold
