// Operators' orders that stand, as JSON and in words. For views and the tables made of them.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// {"by","where","why","since","until"}; what is not known is null.
Json order_json(const StandingOrder& order);

/// Orders that bear on a member of a slot group, each with "verb" and "object": what froze all,
/// drains a side, closes hosts of the group for it.
Json orders_on(const State& state, const SlotGroup& group, size_t member);

/// "by ana since 2026-11-22 10:00:00Z, until …: disk swap"
std::string order_text(const Json& order);

}  // namespace leasehold
