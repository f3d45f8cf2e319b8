// Reconcile: brings all groups in line with what the policies allocate now: who has a group
// at all, which of them drain, and the target of each host. Slots themselves move by
// ledger/export_counts.hpp and returns.hpp.
#pragma once

#include <span>

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Creates, drains, sets targets, exports what is free.
void reconcile(Turn& turn);

/// Sets the targets of these groups again: whether a host of theirs may be divided has changed.
void redivide(Turn& turn, std::span<const uint32_t> groups);

}  // namespace leasehold
