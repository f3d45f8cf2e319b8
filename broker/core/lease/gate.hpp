// Gate: whether a lease can be decided at all just now. Not what is decided (evaluate.hpp).
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Returns why the group cannot be decided now, by precedence; Reason::none: it can.
Reason gate(const State& state, const SlotGroup& group);

/// Says if the dues of a plan's group, whose gate is open, are met. The plan is evaluated by itself
/// (plan/cycle.hpp).
Reason answer_of_plan(const State& state, const SlotGroup& group);

}  // namespace leasehold
