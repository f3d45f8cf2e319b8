// Resampling: another workload like the recorded one, for a run with another seed. It is a block
// bootstrap: the recorded time of each trace is cut into blocks (days, unless `block` says
// otherwise), and as many blocks as there are, drawn with replacement, follow each other. A job
// keeps its place in its block, so that the time of day, bursts and what belongs together within a
// block stay; what lasts longer than a block does not. Clusters draw independently.
//
// It uses integers and a generator that the standard fixes: the same seed gives the same jobs
// everywhere.
#pragma once

#include <cstdint>

#include "broker/lab/simulate/run.hpp"

namespace leasehold {

/// The number of jobs depends on the seed. The last block of a trace counts as a whole one. With a
/// load of 2 a block takes half its recorded time. Errors: a trace that is a single block.
Result<Arrivals> resampled(const Scenario& scenario, const Arrivals& recorded, uint64_t seed);

}  // namespace leasehold
