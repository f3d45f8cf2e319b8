// Quarantine: after a start nothing may be raised in a group until each member has stated what it
// has in force; then the ledger is set to that (schema/wire/PROTOCOL.md, "Broker start").
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Returns the slots of the row that nobody holds: those of a lease are in transfer, those of a
/// plan unallocated.
int32_t& held_by_nobody(SlotGroup& group, uint32_t row);

void begin_quarantine(Turn& turn, uint32_t group);

/// Ends the group's quarantine if all its members have stated theirs. An operator's `forget` in
/// place of the provider says nothing of what that has in force: then each of the others has to
/// answer under its last order, too, and the provider holds what they do not.
void end_quarantine_on_contact(Turn& turn, uint32_t group);

}  // namespace leasehold
