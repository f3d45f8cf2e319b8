// Orders to agents: absolute limits, a new number each, never an increment
// (schema/wire/PROTOCOL.md, "Orders"). An operator's order is an OperatorCommand (model/event.hpp),
// kept as a OrderInForce (model/cluster.hpp) while it holds.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Orders `member` of the group to the limits that it is to have: what it holds, less what is asked
/// of it while leases are not frozen. In quarantine that is at most what it stated; on a host that
/// is withheld from it, 0, which leaves it what its jobs use. The order names every row that
/// changes or is not yet confirmed. Nothing to say, no contact or observe mode: no order.
/// `all_rows`: the answer to a hello. To a leaf of a plan whose agent chooses the order is made at
/// the end of the turn.
void issue_order(Turn& turn, uint32_t group, size_t member, bool all_rows = false);

/// Orders the members whose agents choose among hosts, after caps have changed: a host that is
/// closed by now is no longer one of their set.
inline void renew_host_sets(Turn& turn, uint32_t group) {
  for (size_t m = 0; m < turn.group(group).members.size(); ++m) {
    if (turn.group(group).members[m].chooses) issue_order(turn, group, m);
  }
}

/// Makes the orders that wait for the end of the turn. Where the agent chooses among hosts one
/// order covers all groups of the plan that those are of (host_sets.hpp).
void issue_later_orders(Turn& turn);

}  // namespace leasehold
