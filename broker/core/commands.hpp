// Operators' commands on the state; each is recorded with who gave it.
#pragma once

#include "broker/core/event.hpp"
#include "broker/core/turn.hpp"

namespace leasehold {

/// Contract: check_command (reduce.hpp) allowed it on this state.
void operator_command(Turn& turn, const OperatorCommand& event);

const char* token(Command command);

}  // namespace leasehold
