// Standing orders: what operators ordered and did not take back yet: drains, closed hosts, the
// freeze. One that was given an end is taken back by the broker then, and recorded as such.
#pragma once

#include <vector>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold {

/// The order as it stands from now on.
StandingOrder standing(const OperatorCommand& command, Instant now);

/// When the soonest order ends; kNever: none does.
Instant next_order_end(const State& state);

/// What takes back the orders whose time is over.
std::vector<OperatorCommand> orders_over(const State& state, Instant now);

}  // namespace leasehold
