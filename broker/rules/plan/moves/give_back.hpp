// GiveBack: step 1 of a cycle of ownership: what is given back at once, wanted or not, because the
// plan does not allow it (broker/rules/plan/README.md, "Ownership" and "Windows"; Symphony,
// "Resource reclaim"). Of this it remembers what leaves without rebalance may keep.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan/hosts/holdings.hpp"
#include "broker/rules/plan/moves/moves.hpp"

namespace leasehold {

class GiveBack {
 public:
  /// All outlive it. `slots` is how many there are.
  GiveBack(const Plan& plan, const ConsumerTree& tree, OwnershipHoldings& holdings, int64_t slots)
      : plan_(plan), tree_(tree), holdings_(holdings), slots_(slots) {}

  void run(PlanMoves& moves);
  /// Takes back slots that the leaf gave back: the owned first, then shared, then loans, the
  /// preferred first. That is the reverse of how they are taken.
  void keep(const PlanMoves::Kept& kept);

 private:
  enum class Kind : uint8_t { owned, shared, borrowed };
  struct Given {
    uint32_t leaf;
    uint32_t lender;  // of Kind::borrowed
    Kind kind;
    int64_t slots;
  };

  void of_leaf(uint32_t leaf, PlanMoves& moves);
  void of_parent(uint32_t parent, PlanMoves& moves);
  void lent(uint32_t lender, PlanMoves& moves);
  void beyond_pools(PlanMoves& moves);
  void missing(PlanMoves& moves);
  void any(uint32_t leaf, int64_t slots, Reason reason, PlanMoves& moves);
  int64_t give(Kind kind, uint32_t leaf, int64_t most, Reason reason, PlanMoves& moves);
  int64_t give_loans(uint32_t leaf, int64_t most, Reason reason, PlanMoves& moves);
  std::vector<uint32_t> losers_in(uint32_t parent) const;
  void note(const Given& what, Reason reason, PlanMoves& moves);

  int64_t held(uint32_t position) const { return holdings_.held()[position]; }
  int64_t shared(uint32_t position) const { return holdings_.shared()[position]; }

  const Plan& plan_;
  const ConsumerTree& tree_;
  OwnershipHoldings& holdings_;
  int64_t slots_;
  std::vector<Given> given_;
};

}  // namespace leasehold
