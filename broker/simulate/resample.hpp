// Resampling: another workload like the one that was read, for a run with another seed. A block
// bootstrap: the recorded time of each trace is cut into blocks (days, unless `block` says
// otherwise), and as many of them as there are, drawn with replacement, stand one after another. A
// job keeps its place in its block, so that the time of day, bursts and what belongs together
// within a block stay; what lasts longer than a block does not. Clusters draw independently.
//
// Integers and a generator that the standard fixes: the same seed gives the same jobs everywhere.
#pragma once

#include <cstdint>

#include "broker/simulate/run.hpp"

namespace leasehold {

/// How many jobs there are depends on the seed. The last block of a trace counts as a whole one. Of
/// a load of 2 a block takes half its recorded time. Errors: a trace that is a single block.
Result<Arrivals> resampled(const Scenario& scenario, const Arrivals& recorded, uint64_t seed);

}  // namespace leasehold
