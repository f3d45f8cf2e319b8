// Reported: what agents state of limits and use. The ledger follows a statement only if it
// was made in the present session under the latest order (schema/wire/PROTOCOL.md, "State, not
// acknowledgements").
#pragma once

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

void state_reported(Turn& turn, const StateReported& event);

/// The member ran a job on a slot of the group: a consumer's first one makes the lease.
void lease_made(Turn& turn, uint32_t group, size_t member);

}  // namespace leasehold
