// Counters from the records of a batch: flips, evaluations, what failed, what was refused.
#pragma once

#include <span>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/state.hpp"
#include "broker/metrics/figures.hpp"

namespace leasehold {

/// `state` is the one after the batch. Once it is committed: what is counted has happened.
void count_records(const State& state, std::span<const Record> records, LoopFigures& figures);

/// What waits in the state of the loop.
void count_waiting(const State& state, LoopFigures& figures);

/// Whether an evaluation with that outcome asked its rule at all.
bool is_skipped(Reason outcome);

}  // namespace leasehold
