// A resource group for the broker: its plan as it is in each set of windows, and which is in force
// at which minute of the week. Instants are made of them by windows.hpp.
#pragma once

#include "broker/config/plan/windows.hpp"
#include "broker/core/model/config.hpp"

namespace leasehold {

/// Windows of very many consumers at very many different times would make more plans than anyone
/// can look through: consumers times variants.
inline constexpr size_t kVariantRowsMost = 250'000;

/// Equal plans are one variant; the first is that outside of every window. Contract: the tree has
/// no errors. Too many variants: an error at the group.
ResourceGroup resource_group_of(const PlanTree& tree, Findings& findings);

/// Of `week` (ResourceGroup::week) at that minute of the week.
uint32_t variant_in(const std::vector<PlanChange>& week, int minute_of_week);

/// What is in force from `now` to `until`, by the reading of windows.hpp: ascending,
/// neighbours differ, the first holds from `now` (and before it, as far as is asked).
std::vector<ResolvedWindows::PlanPeriod> plan_periods(const ResourceGroup& group, Instant now,
                                                      Instant until);

}  // namespace leasehold
