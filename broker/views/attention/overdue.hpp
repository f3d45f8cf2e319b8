// Overdue: slots that were to be back by now and are not, as people are told of them. When they are
// due is the core's (broker/core/ledger/overdue.hpp).
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold::attention {

/// Slots that the transfer waits for beyond its time, of a member that is heard; 0: it is not late.
/// Of one that is lost its cluster is told of. Contract: the group's time runs: it is neither
/// frozen nor in quarantine.
int64_t overdue_slots(const State& state, const SlotGroup& group, const Transfer& transfer,
                      Instant now);

}  // namespace leasehold::attention
