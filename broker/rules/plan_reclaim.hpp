// Who loses to whom when slots are reclaimed: a claimant takes from leaves with an excess, in
// reverse priority order, lifting no parent above its limit (plan-semantics 3 step 6, 4, 5 step 6;
// source text "Resource reclaim": the lowest ranking consumer first). Pure. Not what an excess is.
//
// Contract: claimants come in priority order. Excess and room are kept up to date by take(); a
// whole cycle costs little more than the sum of claimants, victims and parents that fill up.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan_tree.hpp"

namespace leasehold {

class Reclaim {
 public:
  /// Numbers start as 0 excess, unlimited rooms.
  explicit Reclaim(const ConsumerTree& tree);

  /// By position of a leaf: what it can lose. Before the first claim.
  std::vector<int64_t> excess;
  /// By position of a parent: what may still come into it from outside; may be negative.
  std::vector<int64_t> room;
  /// By position of a root-level consumer: what others may take out of it. Empty: no such bound.
  std::vector<int64_t> surplus;

  /// Takes up to `slots` for the leaf at `claimant`; calls moved(victim, slots). What was taken.
  template <class Moved>
  int64_t claim(uint32_t claimant, int64_t slots, Moved moved) {
    int64_t taken = 0;
    uint32_t below = end_;
    while (taken < slots) {
      const Offer offer = next(claimant, below);
      if (offer.most == 0) break;
      const int64_t part = offer.most < slots - taken ? offer.most : slots - taken;
      take(claimant, offer.victim, part);
      moved(offer.victim, part);
      taken += part;
      below = offer.victim + 1;
    }
    return taken;
  }

 private:
  struct Offer {
    uint32_t victim = 0;
    int64_t most = 0;  // 0: there is none
  };
  Offer next(uint32_t claimant, uint32_t below);
  uint32_t candidate(uint32_t claimant, uint32_t below);
  void prepare();
  void take(uint32_t claimant, uint32_t victim, int64_t slots);
  void close(uint32_t branch);

  const ConsumerTree& tree_;
  uint32_t end_;
  bool prepared_ = false;
  // Union-find by position: the last leaf at or before that can lose; 0: none. `outer_` is what
  // claimants of other branches see: without branches that have no surplus.
  std::vector<uint32_t> inner_;
  std::vector<uint32_t> outer_;
};

}  // namespace leasehold
