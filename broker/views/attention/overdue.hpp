// Overdue: slots that should be back by now and are not, as operators are shown them. When slots
// are due is decided in the core (broker/core/ledger/overdue.hpp).
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold::attention {

/// Returns the slots that the transfer still waits for after its deadline; 0 where it is not late,
/// gives slots back as jobs end, or its member's cluster is lost (which is a need of its own).
/// Contract: the group is neither frozen nor in quarantine.
int64_t overdue_slots(const State& state, const SlotGroup& group, const Transfer& transfer,
                      Instant now);

}  // namespace leasehold::attention
