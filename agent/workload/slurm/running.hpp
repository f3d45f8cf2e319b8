// These functions read running work units without pending jobs, for sites with so many jobs that
// the whole list in JSON is more than is read. They read squeue's text without the fields that
// users write freely: so units have no comments and accounts.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/workload/slurm/look/spreads.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

/// The facts of a job that the list of a look lacks.
struct SlurmJobFacts {
  std::string called;  // "12_3" of a task; "": by its number
  int64_t priority = 0;
  bool requeueable = false;
  bool oversubscribes = false;
  std::string user;
  std::string partition;
  std::string qos;
  std::string heterogeneous;  // the number of its first component; "": it is none
  int64_t started_s = 0;      // as SlurmJob has it
};
/// Reads the facts by the job's number. Text that is cut off or of another form is refused as a
/// whole.
Result<std::unordered_map<std::string, SlurmJobFacts>> parse_slurm_facts(std::string_view text);

/// Returns the jobs of the look that run or complete and have the same start in both lists: a job
/// that started again between the two may be elsewhere. It asks Slurm once a start for the cores of
/// each job that lies on several hosts or takes turns there.
Result<std::vector<WorkUnit>> slurm_running_units(
    SlurmSpreads& spreads, const SlurmSnapshot& snapshot,
    const std::unordered_map<std::string, SlurmJobFacts>& facts);

}  // namespace leasehold::agent
