// Makes a resource group for the broker: its plan in each set of windows, and which is in force at
// which minute of the week. ../week_periods.hpp makes instants of these.
#pragma once

#include "broker/config/plan/windows.hpp"
#include "broker/core/model/config.hpp"

namespace leasehold {

/// The most rows (consumers times variants): windows of very many consumers at very many different
/// times would make more plans than anyone can look through.
inline constexpr size_t kVariantRowsMost = 250'000;

/// Makes the group; equal plans are one variant, and the first is the plan outside of every window.
/// Contract: the tree has no errors. Too many variants are an error at the group.
ResourceGroup resource_group_of(const PlanTree& tree, Findings& findings);

}  // namespace leasehold
