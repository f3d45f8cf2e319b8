// Indices: checks that every position which a state refers to exists. The core relies on it after a
// state was read.
#pragma once

#include "broker/core/model/state.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Check the whole state, or one group or plan. Errors (corrupt) name what is wrong.
Status check_indices(const State& state);
Status check_indices(const State& state, const SlotGroup& group);
Status check_indices(const State& state, const ResourceGroupLedger& plan);

}  // namespace leasehold
