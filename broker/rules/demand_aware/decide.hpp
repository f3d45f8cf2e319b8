// demand-aware: moves idle slots to whoever has work waiting that they make start, and leaves them
// where they are otherwise. Pure: of one lease, its two members, at one instant. What it must keep
// is README.md beside it; the numbers it was made for are tests/study.
//
// Not when it is asked (broker/core/lease/demand), nor how slots get across.
#pragma once

#include "broker/rules/demand_aware/ledger.hpp"
#include "broker/rules/demand_aware/view.hpp"
#include "common/reason.hpp"

namespace leasehold::demand_aware {

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

/// Returns the next instant at which something that the rule remembers, or was not shown
/// (View::served_until), ends by itself: it should be asked again then. kNever: nothing does.
Instant next_end(const View& view, const Answer& answer);

/// Returns the ledger if the moves of an answer are not carried out: nothing was granted.
Ledger without_moves(const Ledger& before, const Answer& answer);

}  // namespace leasehold::demand_aware
