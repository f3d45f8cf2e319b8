// Clamps the dues of a plan's members, before it is evaluated, to what they can have: hosts may
// have lost slots or be closed, members be disconnected, a provider's work run on newly exported
// slots. It is no decision of the plan: no other member gains by it.
#pragma once

#include "broker/core/model/turn.hpp"

namespace leasehold {

void clamp_dues(Turn& turn, uint32_t plan);

/// When it is known what runs on newly exported slots, the used ones go to the provider's leaf,
/// even where others have a claim to them by now; the plan may reclaim them. Nobody holds the
/// others any more.
void return_used_to_provider(Turn& turn, uint32_t group);

}  // namespace leasehold
