// Counts from the records of a batch: flips, evaluations, failures, refusals.
#pragma once

#include <span>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/state.hpp"
#include "broker/metrics/figures.hpp"

namespace leasehold {

/// `state` is the one after the batch. To be called after the commit, so that only what has
/// happened is counted.
void count_records(const State& state, std::span<const Record> records, LoopFigures& figures);

/// Counts what waits in the state of the event loop.
void count_waiting(const State& state, LoopFigures& figures);

/// True if an evaluation with that outcome did not ask its rule at all.
bool is_skipped(Reason outcome);

}  // namespace leasehold
