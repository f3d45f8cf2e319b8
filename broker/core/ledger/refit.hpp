// Refit: before a plan is evaluated, what its members are due is brought in line with what they can
// have: hosts that lost slots or are closed, members that are not heard, work that a provider ran
// on slots when it exported them. Not a decision of the plan: nobody else gains by it.
#pragma once

#include "broker/core/model/turn.hpp"

namespace leasehold {

void refit_dues(Turn& turn, uint32_t plan);

/// Once it is known what runs on newly exported slots, those are its provider's leaf's, also where
/// others have a claim to them by now; the plan may reclaim them. The others nobody holds any more.
void refit_home(Turn& turn, uint32_t group);

}  // namespace leasehold
