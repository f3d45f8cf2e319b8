// Which numbers of a broker can be right at all (common/bounds.hpp). What comes from a broker, or
// from somebody that passes for it, is asked here before anything of it is done; nothing of a
// message with a fault is done. Not whether hosts and groups are known: check_order
// (limits/limits.hpp), check_sets (reclaim/sets.hpp). Pure.
#pragma once

#include "agent/core/limits/book.hpp"

namespace leasehold::agent {

/// Each number for itself, and what all exports add up to; no group stands twice.
Status check_numbers(const wire::Configuration& configuration);
Status check_numbers(const wire::Order& order);

/// Refuses an order for one group with which all limits together would add up to more than one
/// number may hold (kSlotsMax). An order that only lowers always passes. Contract: the order's
/// hosts are hosts of the group (check_order).
Status check_limits_in_all(const Book& book, const wire::Order& order);

}  // namespace leasehold::agent
