// A resource group for the broker: its plan as it is in each set of windows, and which is in force
// at which minute of the week. Instants are made of them by week_periods.hpp.
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

}  // namespace leasehold
