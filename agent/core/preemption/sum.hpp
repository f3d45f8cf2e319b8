// PreemptionSum: "In cases where a few tasks must be preempted at the same time, the tasks with the
// smallest sum of elapsed computation times are chosen" (Symphony, "Workload preemption"). Pure
// arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leasehold::agent {

struct Elapsed {
  int64_t slots = 0;   // that come free; at least 1
  int64_t run_ms = 0;  // at least 0
};

/// Returns positions, rising, of tasks whose slots are together at least `wanted` and at most
/// `most`: those with the smallest sum of run times, then the fewest slots; among equals the first
/// ones. If no tasks reach `wanted`, it chooses as many slots as can be had, in the same way.
/// Beyond 20,000,000 (tasks x slots) tasks are taken one by one, the least run time first: that is
/// exact where all have equally many slots; else the sum may be larger than it had to be.
std::vector<size_t> smallest_sum(std::span<const Elapsed> tasks, int64_t wanted, int64_t most);

}  // namespace leasehold::agent
