// Back-off of the rule demand-aware: a shape of work that left what it was given unused waits,
// twice as long each time that it happens again. Not whether that is so: grants.hpp.
#pragma once

#include "broker/rules/demand_aware/ledger.hpp"
#include "broker/rules/demand_aware/view.hpp"

namespace leasehold::demand_aware {

using BackOffs = std::vector<BackOff>;

/// True as long as the member's shape waits.
bool waits_off(const BackOffs& all, uint8_t member, const Shape& shape, Instant now);
/// The same, or all work of the member does.
bool waits_off(const Ledger& ledger, uint8_t member, const Shape& shape, Instant now);

struct Delay {
  Instant now;
  int64_t ms = 0;  // of the grid, the first time
};
/// Makes the shape wait from now on: for one delay the first time, for twice as long each time in a
/// row after it, for 2^10 delays at the most.
void back_off_from(BackOffs& all, uint8_t member, const Shape& shape, Delay delay);

/// New shapes of a consumer that may leave slots unused, one after another.
inline constexpr int32_t kNewShapesMost = 8;
/// Notes that a new shape of the consumer left its slots unused: who tells another one each time
/// waits for none of them. From kNewShapesMost on all its work waits: for one delay, then for twice
/// as long each time, for 2^4 delays at the most, as some of it may be honest.
void back_off_as_a_whole(InVain& in_vain, Delay delay);

}  // namespace leasehold::demand_aware
