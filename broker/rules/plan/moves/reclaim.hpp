// Reclaim: a claimant takes from leaves with an excess, in reverse priority order, lifting no
// parent above its limit (broker/rules/plan/README.md, step 6 of "Hybrid" and of "Ownership";
// Symphony, "Resource reclaim": the lowest ranking consumer first). Pure. The caller says what an
// excess is.
//
// Contract: claimants come in priority order. Excess and room are kept up to date by take(); a
// whole cycle costs little more than the sum of claimants, victims and parents that fill up.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan/tree.hpp"

namespace leasehold {

class Reclaim {
 public:
  /// Numbers start as 0 excess, unlimited rooms. `order`: of the tree, the last lose first.
  Reclaim(const ConsumerTree& tree, const LeafOrder& order);

  /// By position of a leaf: what it can lose. Before the first claim.
  std::vector<int64_t> excess;
  /// By position of a parent: what may still come into it from outside; may be negative.
  std::vector<int64_t> room;
  /// By position of a root-level consumer: what others may take out of it. Empty: no such bound.
  std::vector<int64_t> surplus;

  /// Takes up to `slots` for the leaf at `claimant`; calls moved(victim, slots). Returns what
  /// was taken.
  template <class Moved>
  int64_t claim(uint32_t claimant, int64_t slots, Moved moved) {
    int64_t taken = 0;
    auto below = static_cast<uint32_t>(order_.leaves.size());
    while (taken < slots) {
      const Offer offer = next(claimant, below);
      if (offer.most == 0) break;
      const int64_t part = offer.most < slots - taken ? offer.most : slots - taken;
      take(claimant, offer.victim, part);
      moved(offer.victim, part);
      taken += part;
      below = order_.place[offer.victim] + 1;
    }
    return taken;
  }

 private:
  struct Offer {
    uint32_t victim = 0;
    int64_t most = 0;  // 0: there is none
  };
  /// The leaves below a node, by priority, without those that were found unable to lose.
  struct Line {
    std::vector<uint32_t> leaves;
    std::vector<uint32_t> last;  // union-find, one past an index: the last at or before; 0: none
  };
  Offer next(uint32_t claimant, uint32_t below);
  uint32_t candidate(uint32_t claimant, uint32_t within, uint32_t below);
  uint32_t last_in(uint32_t node, uint32_t below);
  Line& line_of(uint32_t node);
  bool can_lose(uint32_t leaf, bool to_other_branches) const;
  void take(uint32_t claimant, uint32_t victim, int64_t slots);

  const ConsumerTree& tree_;
  const LeafOrder& order_;
  std::vector<uint32_t> line_at_;  // by position: in lines_, kNoIndex: none yet
  std::vector<Line> lines_;
};

}  // namespace leasehold
