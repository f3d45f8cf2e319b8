// Shadow: a rule that is decided beside the one in force, of the same state at the same instants,
// and recorded. It orders nothing, and no decision of the rule in force reads it.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// True for a lease whose policy has a shadow.
bool is_shadowed(const State& state, const SlotGroup& group);

/// Asks the shadow and the rule in force of the group as it is, and records both where one says
/// something else than was recorded last, or moves slots of a ledger that has changed since.
/// Contract: is_shadowed(); called before what was decided is carried out.
void decide_shadow(Turn& turn, uint32_t group);

/// Drops the records of another shadow or rule. Called after a configuration was taken.
void forget_shadow(Turn& turn, uint32_t group);

}  // namespace leasehold
