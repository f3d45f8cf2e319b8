// Operators' commands on the state; each is recorded with who gave it.
#pragma once

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn.hpp"

namespace leasehold {

/// Contract: check_command (admission.hpp) allowed it on this state. `reason`: why it is given.
void operator_command(Turn& turn, const OperatorCommand& event,
                      Reason reason = Reason::operator_order);
/// Records the refusal in the history; nothing else changes.
void operator_refused(Turn& turn, const OperatorRefused& event);

/// Takes back the orders whose time is over (model/standing.hpp), as an operator's own commands
/// would.
void end_orders(Turn& turn);

}  // namespace leasehold
