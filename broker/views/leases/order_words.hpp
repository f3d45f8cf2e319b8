// The operators' orders in force, as JSON and in words. For views and the tables made of them.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns {"by","where","why","since","until","from"}; unknown values are null, and `from` of an
/// order that began at once.
Json order_json(const OrderInForce& order);

/// Returns the orders that affect a member of a slot group, each with "verb" and "object": those
/// that freeze all, now or later, drain a side, or close hosts of the group for it.
Json orders_on(const State& state, const SlotGroup& group, size_t member);

/// Returns "by ana since 2026-11-22 10:00:00Z, until …: disk swap"; "from" instead of "since" where
/// the order was given for later.
std::string order_text(const Json& order);

}  // namespace leasehold
