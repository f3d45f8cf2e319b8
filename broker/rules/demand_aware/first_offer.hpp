// First offer: what the consumer of a lease that is not made yet is offered for its waiting work,
// beyond the first slots that it has in any case. A job of several slots never starts on those, and
// the lease would never be made. Pure; when it is asked and how slots get across is
// broker/core/lease/by_demand.hpp.
#pragma once

#include "broker/rules/demand_aware/decide.hpp"

namespace leasehold::demand_aware {

/// Offers the slots of the smallest job that waits and fits what is idle: its `moves`, to the
/// consumer. `reclaims` are idle slots of the consumer elsewhere that go home for them. What is not
/// used in time goes back, and such jobs wait, as of any grant; `first` slots stay.
Answer first_offer(const View& view, const Ledger& ledger, int64_t first);

}  // namespace leasehold::demand_aware
