// Ownership: one cycle of owning, sharing, lending, borrowing and reclaiming
// (broker/rules/plan/README.md, "Ownership"; Symphony, "Owning, lending, borrowing, sharing").
// Pure. What it comes to is each leaf's quota. Not the netting of moves: that is moves.hpp.
//
// Contract: take_stock, then give_back_at_once, then run; holdings are final after keep(). Looks
// at ownership branches only, which have `slots` among them.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan/hosts/holdings.hpp"
#include "broker/rules/plan/moves/give_back.hpp"
#include "broker/rules/plan/moves/moves.hpp"
#include "broker/rules/plan/tree.hpp"

namespace leasehold {

class Ownership {
 public:
  Ownership(const Plan& plan, const ConsumerTree& tree, const std::vector<int64_t>& want,
            int64_t slots)
      : plan_(plan),
        tree_(tree),
        want_(want),
        slots_(slots),
        holdings_(plan, tree, want, slots),
        give_back_(plan, tree, holdings_, slots),
        shrink_(tree.nodes.size(), 0) {}
  Ownership(const Ownership&) = delete;  // its parts refer to each other
  Ownership& operator=(const Ownership&) = delete;

  /// Reads from the state what the leaves hold: owned in use, shared, borrowed.
  void take_stock(const PlanState& state) { holdings_.take_stock(state); }
  /// Step 1, and what is missing after it.
  void give_back_at_once(PlanMoves& moves) { give_back_.run(moves); }

  /// From `from`, or kNoIndex: from the idle slots.
  struct Step {
    uint32_t from;
    uint32_t to;
    int64_t slots;
    Reason reason;
    Reason gain;
  };
  /// Steps 2 to 6, each over all leaves in priority order before the next, until nothing moves:
  /// what moved, in order.
  std::vector<Step> run();
  /// Counts how often steps 2 to 6 were gone through, the last time without a move.
  size_t rounds() const { return rounds_; }
  /// A leaf without rebalance keeps what nobody took.
  void keep(const PlanMoves::Kept& kept) { give_back_.keep(kept); }

  /// Returns what is held by position, of leaves and of parents.
  const std::vector<int64_t>& held() const { return holdings_.held(); }
  const std::vector<int64_t>& shared() const { return holdings_.shared(); }
  const std::vector<int64_t>& deserved() const { return holdings_.deserved(); }
  /// By position of a leaf, after run(): what it gives up of the pool as its work ends.
  const std::vector<int64_t>& shrink() const { return shrink_; }
  Loans& loans() { return holdings_.loans(); }

 private:
  bool take_own();
  bool take_pool(bool deserved_only);
  bool borrow();
  bool reclaim_own();
  bool reclaim_pool();
  template <class Claimed>
  void claim_pool(Claimed claimed);
  bool reclaim_lent(uint32_t owner);
  int64_t need(uint32_t leaf) const;
  int64_t room_above(uint32_t leaf, uint32_t below) const;
  int64_t share_room_above(uint32_t leaf) const;
  bool from_idle(uint32_t leaf, int64_t slots, Reason reason);

  const Plan& plan_;
  const ConsumerTree& tree_;
  const std::vector<int64_t>& want_;
  int64_t slots_;
  OwnershipHoldings holdings_;
  GiveBack give_back_;
  int64_t idle_ = 0;
  size_t rounds_ = 0;
  std::vector<Step> steps_;
  std::vector<int64_t> shrink_;
};

}  // namespace leasehold
