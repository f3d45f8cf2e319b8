// Back-off of the rule demand-aware: a shape of work that left what it was given unused waits,
// twice as long each time that it happens again. Not whether that is so: grants.hpp.
#pragma once

#include "broker/rules/demand_aware/ledger.hpp"
#include "broker/rules/demand_aware/view.hpp"

namespace leasehold::demand_aware {

/// nullptr: the member's shape waits for nothing.
BackOff* find_back_off(Ledger& ledger, uint8_t member, const Shape& shape);

/// It waits still.
bool waits_off(const Ledger& ledger, uint8_t member, const Shape& shape, Instant now);

struct Delay {
  Instant now;
  int64_t ms = 0;  // of the grid, the first time
};
/// The shape waits for 2^times delays from now, at most 2^10 of them.
void back_off_from(Ledger& ledger, uint8_t member, const Shape& shape, Delay delay);

}  // namespace leasehold::demand_aware
