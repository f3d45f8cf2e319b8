// Operators' commands on the state; each is recorded with who gave it.
//
// `freeze` orders every member to what it holds. While it lasts nothing is asked back, offered or
// evaluated, and reclaims are not overdue. Statements still count, slots in transfer are handed
// out, releases time out, leases expire and exports rise. `thaw` orders again, restarts the grace
// of reclaims and marks every group. A freeze that begins later stands beside one that is in force,
// replaces it when it begins, without ending it sooner, and is dropped by `thaw`.
#pragma once

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Contract: check_command (admission.hpp) allowed it on this state. `reason`: why it is given.
void operator_command(Turn& turn, const OperatorCommand& event,
                      Reason reason = Reason::operator_order);
/// Records the refusal in the history; nothing else changes.
void operator_refused(Turn& turn, const OperatorRefused& event);

/// Begins a freeze whose time has come, and takes back the orders whose time is over
/// (model/queries/orders_in_force.hpp), as an operator's own commands would.
void follow_orders(Turn& turn);

}  // namespace leasehold
