// MoveCount: counts what moves in a simulated run, from the records that the core makes.
#pragma once

#include <cstdint>
#include <set>
#include <span>

#include "broker/core/model/state.hpp"

namespace leasehold {

class MoveCount {
 public:
  /// Counts the records of one event. Until the run has `begun`, slots are on their way for no
  /// time.
  void count(std::span<const Record> records, const State& state, Instant now, bool begun);

  int64_t flips() const { return flips_; }
  Instant flipped_at() const { return flipped_at_; }  // INT64_MIN: never
  int64_t slots() const { return slots_; }
  /// Returns the moved slots that were on their way for the transfer time, without those that
  /// nobody held before.
  int64_t slots_in_transfer() const { return slots_in_transfer_; }
  /// Returns the moved slots that came back because nobody used them.
  int64_t slots_unused() const { return slots_unused_; }

 private:
  void count_flip(const Record& row, Instant now);
  void count_reclaim(const Record& row, const State& state, bool alone);
  bool count_plan(const Record& row, bool begun);

  int64_t flips_ = 0;
  int64_t slots_ = 0;
  int64_t slots_in_transfer_ = 0;
  int64_t slots_unused_ = 0;
  std::set<int64_t> reclaims_;  // open ones of leases, by Transfer::id
  Instant flipped_at_{INT64_MIN};
};

}  // namespace leasehold
