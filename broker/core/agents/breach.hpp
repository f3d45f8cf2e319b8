// Breach: a member stated more than its limit allows (schema/wire/PROTOCOL.md,
// "Reports"). While it lasts nothing is granted in the whole slot group.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// A breach is an event and an alarm; while it stands nothing is granted (schema/wire/PROTOCOL.md,
/// "Whose slot is used").
void watch_breach(Turn& turn, uint32_t group);

/// Takes over what the member states: slots that it uses above its limits.
void set_breach(SlotGroup& group, size_t member, int32_t slots);

}  // namespace leasehold
