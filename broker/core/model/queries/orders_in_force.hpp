// Orders of operators that were not taken back yet: drains, closed hosts, the freeze, and the one
// ahead. The broker takes back an order that has an end when that comes, and records it as such.
#pragma once

#include <vector>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold {

/// An order that begins by `now` has no `from`.
OrderInForce order_in_force(const OperatorCommand& command, Instant now);

/// Returns when the order began, or will.
Instant begin_of(const OrderInForce& order);

/// Returns when the next order ends, or the freeze ahead begins; kNever: none does.
Instant next_order_instant(const State& state);

/// Returns the commands that take back the orders whose time is over.
std::vector<OperatorCommand> orders_over(const State& state, Instant now);

}  // namespace leasehold
