// OwnEnds: waiting work that a member's own running work makes room for, sooner than slots that
// are moved would be there. Reports count slots, not hosts: what is said of a job here holds
// however those lie. Not how long it is waited for: decide.cpp.
#pragma once

#include "broker/rules/demand_aware/view.hpp"

namespace leasehold::demand_aware {

class OwnEnds {
 public:
  /// Counts the slots that end within that time; of a later class of time the part that is over by
  /// then.
  OwnEnds(const Side& side, int64_t within_ms);
  bool none() const { return slots_ == 0; }
  /// Counts the jobs that start by themselves. Call with the oldest first: what is not enough for
  /// all of those is for nobody behind them.
  int64_t take(const Waiting& waiting);

 private:
  int64_t jobs_anyhow(const Waiting& waiting) const;

  int64_t slots_ = 0;
  int64_t hosts_ = 0;
};

}  // namespace leasehold::demand_aware
