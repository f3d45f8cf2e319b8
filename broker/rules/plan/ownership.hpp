// Ownership: one cycle of owning, sharing, lending, borrowing and reclaiming
// (broker/rules/plan/README.md, "Ownership"; Symphony, "Owning, lending, borrowing, sharing").
// Pure. What it comes to is each leaf's quota. Not the netting of moves: that is moves.hpp.
//
// Contract: take_stock, then give_back_at_once, then run; holdings are final after keep(). Looks
// at ownership branches only, which have `slots` among them.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan/loans.hpp"
#include "broker/rules/plan/moves.hpp"
#include "broker/rules/plan/tree.hpp"

namespace leasehold {

class Ownership {
 public:
  Ownership(const Plan& plan, const ConsumerTree& tree, const std::vector<int64_t>& want,
            int64_t slots);

  /// Reads from the state what the leaves hold: owned in use, shared, borrowed.
  void take_stock(const PlanState& state);
  /// Step 1, and what is missing after it.
  void give_back_at_once(PlanMoves& moves);

  /// From `from`, or kNoIndex: from the idle slots.
  struct Step {
    uint32_t from;
    uint32_t to;
    int64_t slots;
    Reason reason;
    Reason gain;
  };
  /// Steps 2 to 6, until nothing moves: what moved, in order.
  std::vector<Step> run();
  /// How often steps 2 to 6 were gone through, the last time without a move.
  size_t rounds() const { return rounds_; }
  /// A leaf without rebalance keeps what nobody took.
  void keep(const PlanMoves::Kept& kept);

  /// By position, of leaves and of parents.
  const std::vector<int64_t>& held() const { return held_; }
  const std::vector<int64_t>& shared() const { return shared_; }
  const std::vector<int64_t>& deserved() const { return deserved_; }
  Loans& loans() { return loans_; }

 private:
  enum class Kind : uint8_t { owned, shared, borrowed };
  struct GivenBack {
    uint32_t leaf;
    uint32_t lender;  // of Kind::borrowed
    Kind kind;
    int64_t slots;
  };

  // Stock (holdings.cpp)
  void stock_leaf(uint32_t leaf, const LeafState& state);
  bool stated(uint32_t leaf, const PlanState& state) const;
  void deduce_borrowed(uint32_t leaf);

  // Step 1 (give_back.cpp)
  void give_back_leaf(uint32_t leaf, PlanMoves& moves);
  void give_back_parent(uint32_t parent, PlanMoves& moves);
  void give_back_lent(uint32_t lender, PlanMoves& moves);
  void give_back_beyond_pools(PlanMoves& moves);
  void give_back_missing(PlanMoves& moves);
  void give_back_any(uint32_t leaf, int64_t slots, Reason reason, PlanMoves& moves);
  int64_t give_back(Kind kind, uint32_t leaf, int64_t most, Reason reason, PlanMoves& moves);
  int64_t give_back_loans(uint32_t leaf, int64_t most, Reason reason, PlanMoves& moves);
  std::vector<uint32_t> losers_in(uint32_t parent) const;
  void given_back(const GivenBack& what, Reason reason, PlanMoves& moves);

  // Steps 2 to 6 (ownership.cpp)
  bool take_own();
  bool take_pool(bool deserved_only);
  bool borrow();
  bool reclaim_own();
  bool reclaim_pool();
  bool reclaim_lent(uint32_t owner);
  int64_t need(uint32_t leaf) const;
  int64_t room_above(uint32_t leaf, uint32_t below) const;
  int64_t share_room_above(uint32_t leaf) const;
  int64_t own_idle(uint32_t leaf) const;
  int64_t lendable(uint32_t lender) const;
  bool from_idle(uint32_t leaf, int64_t slots, Reason reason);

  void add_held(uint32_t leaf, int64_t slots);
  void add_shared(uint32_t leaf, int64_t slots);
  bool connected_owner(uint32_t leaf) const;

  const Plan& plan_;
  const ConsumerTree& tree_;
  const std::vector<int64_t>& want_;
  int64_t slots_;
  int64_t pool_ = 0;  // P
  int64_t idle_ = 0;
  size_t rounds_ = 0;
  std::vector<int64_t> own_;     // owned in use
  std::vector<int64_t> held_;    // by position, parents too
  std::vector<int64_t> shared_;  // by position, parents too
  std::vector<int64_t> deserved_;
  Loans loans_;
  std::vector<Step> steps_;
  std::vector<GivenBack> given_back_;
};

}  // namespace leasehold
