// Operators' commands on the state; each is recorded with who gave it.
#pragma once

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn.hpp"

namespace leasehold {

/// Contract: check_command (admission.hpp) allowed it on this state. `reason`: why it is given.
void operator_command(Turn& turn, const OperatorCommand& event,
                      Reason reason = Reason::operator_order);
/// What was refused changes nothing; the history knows of it.
void operator_refused(Turn& turn, const OperatorRefused& event);

/// Takes back the orders whose time is over (model/standing.hpp), as their own commands would.
void end_orders(Turn& turn);

}  // namespace leasehold
