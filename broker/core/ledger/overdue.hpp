// Overdue: slots that a transfer asks for and that are not back in time. A release has
// transfer_timeout, a reclaim its grace and the leeway (schema/wire/PROTOCOL.md, "Transfers"), a
// shrink all the time that the jobs take. Not what ends the work: that is the agent's
// (agent/core/reclaim/reclaim.hpp).
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Returns the instant by which the transfer's slots must be back if they were asked for now;
/// kNever: there is no time limit.
Instant return_deadline(const State& state, const SlotGroup& group, const Transfer& transfer);

/// A reclaim's time is over: if slots are missing, an alarm, and the agent is asked again, now and
/// after each further leeway. One that only waits for a taker is not late, nor one that rests:
/// while all is frozen, and in quarantine.
void overdue(Turn& turn, uint32_t group, Transfer& transfer);

/// Restarts the time of reclaims: after quarantine, because the orders that agents received are
/// unknown, and after a thaw, because their work went on meanwhile.
void resume_reclaims(Turn& turn, uint32_t group);

}  // namespace leasehold
