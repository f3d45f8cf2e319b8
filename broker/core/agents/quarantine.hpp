// Quarantine: after a start nothing may be raised in a group until each member has been heard; then
// the ledger is set to what they stated (schema/wire/PROTOCOL.md, "Broker start").
#pragma once

#include "broker/core/model/turn.hpp"

namespace leasehold {

void begin_quarantine(Turn& turn, uint32_t group);

/// Ends the group's quarantine if all its members have been heard. An operator's word instead of
/// the provider's (`forget`) says nothing of what it has in force: then each of the others has to
/// answer under its last order, too, and the provider holds what they do not.
void end_quarantine_if_heard(Turn& turn, uint32_t group);

}  // namespace leasehold
