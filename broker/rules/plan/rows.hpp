// The printed numbers of an evaluation (broker/rules/plan/README.md, "Printed numbers"): one row
// for each consumer. Pure. Not the numbers that decide: those are quotas and holdings.
#pragma once

#include <vector>

#include "broker/rules/plan/division/distribute.hpp"
#include "broker/rules/plan/division/ownership.hpp"
#include "broker/rules/plan/division/quota.hpp"

namespace leasehold {

struct RowSources {
  const Plan& plan;
  const ConsumerTree& tree;
  const Quotas& quotas;
  Scale scale;
  const Distribution& distribution;
  Ownership* ownership;                // nullptr: no branch has that policy
  const std::vector<PlanMove>& moves;  // final
};

/// Returns rows in the tree's order, parents first.
std::vector<PlanRow> rows_of(const RowSources& from);

}  // namespace leasehold
