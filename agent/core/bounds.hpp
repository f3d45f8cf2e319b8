// Checks which numbers of a broker can be right at all (common/bounds.hpp). A message that comes
// from a broker, or from somebody that passes for it, is checked here before any of it is applied;
// with one fault none of it is. Whether hosts and groups are known is checked by check_order
// (limits/limits.hpp) and check_sets (reclaim/sets.hpp). Pure.
#pragma once

#include "agent/core/limits/book.hpp"

namespace leasehold::agent {

/// The advice about a message that cannot be right.
inline constexpr const char* kCompareReleases =
    "compare the releases of broker and agent: leasectl doctor";

/// Checks each number for itself and the sum of all exports, and that no group is listed twice.
Status check_numbers(const wire::Configuration& configuration);
Status check_numbers(const wire::Order& order);

/// Refuses an order for one group with which all limits together would add up to more than one
/// number may hold (kSlotsMax). An order that only lowers always passes. Contract: the order's
/// hosts are hosts of the group (check_order).
Status check_limits_in_all(const Book& book, const wire::Order& order);

}  // namespace leasehold::agent
