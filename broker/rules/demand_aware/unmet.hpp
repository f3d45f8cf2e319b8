// Unmet demand: what each member's work waited for, in slot-seconds, lately. Not who is served for
// it: decide.cpp.
#pragma once

#include "broker/rules/demand_aware/ledger.hpp"
#include "broker/rules/demand_aware/view.hpp"

namespace leasehold::demand_aware {

/// Adds what waited since the last evaluation, and remembers what waits now. It fades over an hour.
/// What one member can count of it is bounded by the group: who claims a thousand times its slots
/// waits no more than who claims all.
void count_unmet(const View& view, Ledger& ledger);

}  // namespace leasehold::demand_aware
