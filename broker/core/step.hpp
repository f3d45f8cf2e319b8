// step: the broker's core. A pure function of state, event and time: no clock, socket, file, log,
// random number or thread. The daemon, the fault simulation, `simulate`, `replay` and the golden
// tests are its callers.
#pragma once

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold {

/// Applies `event` at `now` and appends what is to be done to `effects` (which is not cleared).
/// Contract: `now` is not below any earlier one, except for ClockSet; a hello, a statement, an
/// inventory and a command passed their checks in admission.hpp, or are replayed as they were
/// recorded; the caller commits state and records before it sends anything. Returns whether
/// the state changed in a way that history must know: then the event is to be recorded, before its
/// records.
bool step(State& state, const Event& event, Instant now, Effects& effects);

}  // namespace leasehold
