// Gathering in plans: of the leaves whose wide work was given slots that come only as work of
// others ends, one has 10 minutes until all it needs is there, as under demand-aware, whose memory
// it has (broker/rules/demand_aware/README.md, 2). Without it such work starves: what had
// come was left unused by the end of a grant's time, and went back. Not which slots these are: the
// plan's moves say that.
//
// Contract: one leaf of a resource group at a time; when it has begun its work or its time is over,
// nobody gathers for 10 minutes. No slot is given or taken by it: it is the end of grants
// (grants.hpp) that is put off.
#pragma once

#include "broker/core/model/turn/turn.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/rules/plan/hosts/place.hpp"

namespace leasehold {

/// Begins for the first leaf by priority of those to whom the evaluation gave such slots, if none
/// gathers or has just done so. Called when the moves are carried out, before the grants are noted.
void begin_gathering(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot,
                     const PlacedMoves& placed);

/// Called when the leaf's grants were looked at.
void end_gathering(demand_aware::Ledger& grants, Instant now);

/// Returns since when a grant of these shapes counts, that would count from `at` on, so that it is
/// over together with the gathering. While a leaf gathers the time of its grants is twice `use_by`.
Instant granted_at(const demand_aware::Ledger& grants,
                   const std::vector<demand_aware::Shape>& shapes, Instant at, int64_t use_by_ms);

}  // namespace leasehold
