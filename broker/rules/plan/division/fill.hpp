// Fill: hands slots out among siblings in proportion to their weights, nobody above its cap, and
// rounds once at the end (broker/rules/plan/README.md, "Fill" and "Rounding"). Pure and exact. Not
// who the siblings are, nor what their caps mean: that is each policy's.
//
// Contract: siblings in the order of priority. Caps and levels are whole numbers of parts; a slot
// has `parts` parts, so that a cap may be a fraction of a slot. Numbers within kMostSlots slots,
// weights within 2^50, parts within kMostSlots: then nothing here overflows 128 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace leasehold {

__extension__ using Wide = __int128;

/// One of the siblings.
struct Bowl {
  int64_t weight = 0;
  Wide cap = 0;       // in parts; below the level: it takes nothing more
  Wide level = 0;     // in parts: what it has been given
  int64_t slots = 0;  // after round()
};

class Filling {
 public:
  /// Starts with `slots` to hand out among `bowls`, which the caller sets up.
  std::span<Bowl> begin(int64_t slots, int64_t parts, size_t bowls);
  std::span<Bowl> bowls() { return bowls_; }
  /// One Fill up to the caps of now; adds to what earlier ones gave. Those of weight 0 are filled
  /// equally, after all others are at their caps. Nothing left to hand out: does nothing.
  void fill();
  /// Everyone gets the whole part of its level; what remains goes one each to those whose share
  /// was not whole, in order.
  void round();

 private:
  struct Open {
    uint32_t bowl;
    int64_t weight;
    Wide room;
  };
  void gather(bool weightless);
  void raise();
  size_t water_line();
  int64_t whole(const Bowl& bowl, Wide weight, bool& fraction) const;

  std::vector<Bowl> bowls_;
  std::vector<Open> open_;          // of the Fill under way; at the end those above their level
  std::vector<uint8_t> rounds_up_;  // whose share is not whole
  int64_t parts_ = 1;
  Wide rest_ = 0;         // parts to hand out
  Wide over_ = 0;         // what those left in open_ share above their levels,
  Wide over_weight_ = 1;  // in proportion to their weights, of which this is the sum
};

}  // namespace leasehold
