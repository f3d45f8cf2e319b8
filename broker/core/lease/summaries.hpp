// Lines: what an evaluation reads of a lease, made from its group (model/lease_summary.hpp).
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// From the group as it is, whatever is kept. Contract: the group is there.
LeaseSummary summary_of(const State& state, uint32_t group);

/// Rebuilds the group's line if it is stale.
void make_summary(State& state, uint32_t group);

/// The same for those that were noted as stale. Called when a step ends.
void make_summaries(State& state);

}  // namespace leasehold
