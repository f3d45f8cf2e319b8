// Indices: every place that a state which was read names is there. The core trusts them.
#pragma once

#include "broker/core/model/state.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Of the whole state. Errors (corrupt) name what is wrong.
Status check_indices(const State& state);
Status check_indices(const State& state, const SlotGroup& group);
Status check_indices(const State& state, const ResourceGroupLedger& plan);

}  // namespace leasehold
