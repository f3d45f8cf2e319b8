// These functions read the work units of a Slurm cluster from `squeue --json`, the one output in
// which what users write freely (names, comments) cannot pass for anything else. Its form differs
// from version to version (forms.hpp); each is read by the name that the output gives itself.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/work/work_unit.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

/// Returns the jobs that wait, hold slots or complete, heterogeneous ones as a whole; slots are
/// cores. A completing job counts as started `now`, last of all: it ends by itself, and no other
/// job is to end in its place.
Result<std::vector<WorkUnit>> parse_slurm_units(std::string_view json, Instant now);

/// Adds each heterogeneous job as one unit, by the number of its first component.
void join_heterogeneous(const std::map<int64_t, std::vector<WorkUnit>>& jobs,
                        std::vector<WorkUnit>& units);

/// Returns a sentence for each thing that this output lacks, with what does not work without it.
std::vector<std::string> slurm_jobs_lacking(std::string_view json);

}  // namespace leasehold::agent
