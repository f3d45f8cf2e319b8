// demand-aware: moves idle slots to whoever has work waiting that they make start, and leaves them
// where they are otherwise. Pure: of one lease, its two members, at one instant. What it must keep
// is README.md beside it; the numbers it was made for are tests/study.
//
// Not when it is asked (broker/core/lease/demand), nor how slots get across.
#pragma once

#include "broker/rules/demand_aware/ledger.hpp"
#include "common/reason.hpp"

namespace leasehold::demand_aware {

struct Settings {
  int64_t delay_ms = 600'000;    // between two regular evaluations
  int64_t min_hold_ms = 30'000;  // between two moves that are not the provider's
  int64_t use_by_ms = 60'000;    // a grant is to be used
  bool provider_first = false;   // the provider's work takes slots in use, idle ones go home
  bool whole_hosts = false;      // all that is idle of a row moves, or nothing
};

struct Side {
  std::vector<Waiting> waiting;    // the oldest first
  std::vector<int32_t> elsewhere;  // idle slots by host, outside the group
  int64_t slots_elsewhere = 0;     // of those hosts, idle or not
};

/// One lease at an instant.
struct View {
  Instant now;
  Settings settings;
  std::array<Side, 2> sides;
  std::vector<IdleRow> rows;      // one a host of the group
  std::vector<int32_t> exported;  // slots of each of them
  int64_t slots = 0;              // of the group, on hosts that both call up
};

struct Answer {
  Reason reason = Reason::no_taker;
  uint8_t to = kNobody;
  std::vector<RowSlots> moves;  // idle slots of the other, ascending by row; empty: none
  /// To the provider, of other rows: what the consumer's work there is to leave, with what is idle.
  std::vector<RowSlots> reclaims;
  Ledger ledger;  // after it, if all that is carried out

  int64_t slots() const {
    int64_t sum = 0;
    for (const RowSlots& row : moves) sum += row.slots;
    return sum;
  }
};

/// `ledger`: of the last evaluation. Its react_at is taken over as it is.
Answer decide(const View& view, const Ledger& ledger);

/// What remains of it where the moves of an answer are not carried out: nothing was granted.
Ledger without_moves(const Ledger& before, const Answer& answer);

}  // namespace leasehold::demand_aware
