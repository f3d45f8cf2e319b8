// Unneeded slots: a leaf under ownership holds them and neither uses nor wants them. They count as
// idle once somebody is short (broker/rules/plan/README.md, "What goes in"). Pure.
#pragma once

#include <cstdint>

#include "broker/rules/plan/plan.hpp"

namespace leasehold {

/// True if the consumer's branch has that policy.
bool under_ownership(const Plan& plan, uint32_t consumer);

/// True if the leaf holds more than it wants, under ownership.
bool holds_unneeded(const Plan& plan, const PlanState& state, uint32_t consumer);

/// Its slots become what it wants; loans go first, the least preferred lender's before others.
void shrink_to_demand(LeafState& leaf);
/// The same for so many slots.
void give_up(LeafState& leaf, int64_t slots);

}  // namespace leasehold
