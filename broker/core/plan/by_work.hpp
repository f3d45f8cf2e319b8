// Demand of a plan's leaves by the shapes of their waiting work, where their agents tell them
// (broker/rules/plan/README.md, "Demand by shape"): reads what they tell into leaf_demands() and
// puts the answer into a snapshot. Not what counts of it: that is the rule's.
#pragma once

#include <cstddef>
#include <span>

#include "broker/core/plan/snapshot.hpp"

namespace leasehold {

/// A leaf that takes part and whose agent tells shapes.
struct ShapedLeaf {
  uint32_t consumer = 0;  // in Plan::consumers
  uint32_t cluster = 0;
  int64_t used = 0;                              // slots
  const demand_aware::Ledger* grants = nullptr;  // nullptr: nothing is remembered
};

/// Returns whether an evaluation has time for so many leaves that tell shapes on so many hosts:
/// leaves times hosts are at most 20,000. Of more, all leaves go by numbers.
bool goes_by_work(size_t leaves, size_t hosts);

/// `snapshot` has the demand by numbers; where the plan is decided in whole hosts, it counts those
/// already.
void go_by_work(const State& state, std::span<const ShapedLeaf> shaped, PlanSnapshot& snapshot);

}  // namespace leasehold
