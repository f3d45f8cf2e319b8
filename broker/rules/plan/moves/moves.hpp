// The moves of one evaluation, made net as they are written down (broker/rules/plan/README.md,
// "Moves"): no leaf both gains and loses, what it would gain passes to whoever it would lose to;
// slots given back go to whom slots are handed out once the idle ones are used up. Pure. Not who
// moves what: the policies.
//
// Contract: all give-backs of a cycle come before its hand-outs; nothing is taken from a leaf that
// it does not hold. Ends are positions of leaves in the tree, or kNoIndex.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan/tree.hpp"

namespace leasehold {

class PlanMoves {
 public:
  /// If `idle` is below 0, so many more slots are held than there are.
  PlanMoves(const Plan& plan, const ConsumerTree& tree, int64_t idle);

  /// The leaf gives the slots up at once, whether somebody wants them or not; a leaf with rebalance
  /// = false gives up only what somebody takes, unless the move is `firm`.
  void give_back(uint32_t leaf, int64_t slots, Reason reason, bool firm = false);
  /// After the last give-back, or the last for now: who gave back comes in reverse priority order,
  /// those without rebalance after the others; the slots that are missing go first.
  void close_give_backs();
  /// Returns the slots that are missing still: to be taken by lose().
  int64_t missing() const { return missing_; }
  void lose(uint32_t leaf, int64_t slots);

  /// Returns the slots that can be handed out.
  int64_t available() const { return idle_ + given_back_; }
  void hand_out(uint32_t leaf, int64_t slots, Reason reason);
  /// `gain` is the reason if the slots come from elsewhere in the end.
  void reclaim(uint32_t from, uint32_t to, int64_t slots, Reason reason, Reason gain);
  /// Just these slots: others that the loser gains are no substitute for them.
  void take_back(uint32_t from, uint32_t to, int64_t slots, Reason reason);

  /// Slots that a leaf without rebalance keeps, as nobody took them.
  struct Kept {
    uint32_t leaf;
    int64_t slots;
  };
  /// Returns the moves, added up and ordered; ends are consumers.
  std::vector<PlanMove> finish(std::vector<Kept>& kept);

 private:
  struct GiveBack {
    uint32_t leaf;
    int64_t slots;
    Reason reason;
    bool firm;
  };
  struct Transfer {
    uint32_t from = kNoIndex;
    uint32_t to = kNoIndex;
    int64_t slots = 0;
    Reason loss = Reason::none;  // why `from` loses them
    Reason gain = Reason::none;  // why `to` gets them
    bool firm = false;           // even without rebalance `from` does not keep them
    uint32_t next_loss = kNoIndex;
    uint32_t next_gain = kNoIndex;
  };
  /// The transfers from one leaf, or those to it, oldest first.
  struct Chain {
    uint32_t first = kNoIndex;
    uint32_t last = kNoIndex;
  };

  bool keeps(uint32_t leaf) const;
  GiveBack take_given_back(int64_t most);
  void pass(Transfer transfer);
  void pass_from(Transfer transfer);
  void append(const Transfer& transfer);
  Transfer* oldest_gain(uint32_t leaf);
  Transfer* oldest_loss(uint32_t leaf);
  PlanMove move_of(const Transfer& transfer) const;
  int64_t grace_ms(const Transfer& transfer) const;

  const Plan& plan_;
  const ConsumerTree& tree_;
  const std::vector<uint32_t>& place_;  // by position of a leaf: its priority
  int64_t idle_;
  int64_t missing_;
  int64_t given_back_ = 0;
  std::vector<GiveBack> give_backs_;
  size_t next_give_back_ = 0;
  std::vector<Transfer> transfers_;
  std::vector<Chain> gains_;  // by position; empty as long as nobody loses what it gained
  std::vector<Chain> losses_;
};

}  // namespace leasehold
