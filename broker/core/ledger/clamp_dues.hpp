// Clamps the dues of a plan's members, before it is evaluated, to what they can have: hosts may
// have lost slots or be closed, members be disconnected, a provider's work run on newly exported
// slots. It is no decision of the plan: no other member gains by it.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

void clamp_dues(Turn& turn, uint32_t resource_group);

/// Raises what the provider's leaf is due by the newly exported slots that it uses, when what runs
/// on them is known; the dues of others fall as far as the row needs it, and the plan may reclaim
/// the slots later. The slots no longer count as newly exported. No slot moves here: what the
/// provider holds above its due is asked back as ever.
void raise_provider_due_to_use(Turn& turn, uint32_t group);

}  // namespace leasehold
