// Refit: before a plan is evaluated, what its members are due is brought in line with what they can
// have: hosts that lost slots or are closed, members that are not heard, work that a provider runs
// on idle slots at home. Not a decision of the plan: nobody gains by it.
#pragma once

#include "broker/core/turn.hpp"

namespace leasehold {

void refit_dues(Turn& turn, uint32_t plan);

}  // namespace leasehold
