// OwnershipHoldings: what leaves hold in a cycle of ownership, by kind: owned in use, shared,
// borrowed. At its start the state says it, or else the owned come first, then the shared, then the
// borrowed.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan/division/loans.hpp"
#include "broker/rules/plan/tree.hpp"

namespace leasehold {

class OwnershipHoldings {
 public:
  OwnershipHoldings(const Plan& plan, const ConsumerTree& tree, const std::vector<int64_t>& want,
                    int64_t slots);

  /// Reads from the state what the leaves hold.
  void take_stock(const PlanState& state);

  // By position; of parents only what is held and shared.
  int64_t own(uint32_t leaf) const { return own_[leaf]; }
  const std::vector<int64_t>& held() const { return held_; }
  const std::vector<int64_t>& shared() const { return shared_; }
  const std::vector<int64_t>& deserved() const { return deserved_; }
  int64_t pool() const { return pool_; }
  Loans& loans() { return loans_; }
  const Loans& loans() const { return loans_; }

  void add_own(uint32_t leaf, int64_t slots) { own_[leaf] += slots; }
  void add_held(uint32_t leaf, int64_t slots);
  void add_shared(uint32_t leaf, int64_t slots);

  bool connected_owner(uint32_t leaf) const;
  /// Returns what the leaf owns and neither uses nor lends.
  int64_t own_idle(uint32_t leaf) const;
  int64_t lendable(uint32_t lender) const;

 private:
  void stock_leaf(uint32_t leaf, const LeafState& state);
  bool stated(uint32_t leaf, const PlanState& state) const;
  void deduce_borrowed(uint32_t leaf);

  const ConsumerTree& tree_;
  int64_t pool_ = 0;  // P
  std::vector<int64_t> own_;
  std::vector<int64_t> held_;
  std::vector<int64_t> shared_;
  std::vector<int64_t> deserved_;
  Loans loans_;
};

}  // namespace leasehold
