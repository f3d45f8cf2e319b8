// Shadow: a rule that is decided beside the one in force, of the same state at the same instants,
// and recorded. It orders nothing, and no decision of the rule in force reads it.
#pragma once

#include "broker/core/model/turn.hpp"

namespace leasehold {

/// Of a lease: its policy has a shadow.
bool is_shadowed(const State& state, const SlotGroup& group);

/// Asks the shadow and the rule in force of the group as it is, and records both where one says
/// something else than was recorded last, or moves slots of a ledger that has changed since.
/// Contract: is_shadowed(); called before what was decided is carried out.
void decide_shadow(Turn& turn, uint32_t group);

/// Once a configuration was taken: what another shadow said, or of another rule, is forgotten.
void forget_shadow(Turn& turn, uint32_t group);

}  // namespace leasehold
