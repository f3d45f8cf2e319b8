// SlurmVerdicts holds, for each pending job, the hosts on which it could start if cores were free
// there. Pending slots, shapes, sessions and preemption all use it. A job that is not in it is
// held, at a limit, waits for a time or for another job. Pure.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/workload/slurm/look/snapshot.hpp"
#include "agent/workload/slurm/printed/wants.hpp"

namespace leasehold::agent {

/// The cores that a job wants. `threads` is the number of CPUs in each core.
struct SlurmShape {
  int32_t threads = 1;
  int32_t per_host = 1;  // at least so many on each of its hosts
  int32_t hosts = 1;     // on at least so many
};
/// A job that wants a single host wants all its cores there, unless the largest host has fewer
/// (`most`): squeue does not say whether it might be spread.
SlurmShape slurm_shape(const SlurmJob& job, int32_t threads, int32_t most);
int32_t least_threads(const SlurmSnapshot& snapshot);

struct SlurmVerdict {
  /// The names of the hosts; empty if there is none. Jobs with the same wants share the list.
  std::shared_ptr<const std::vector<std::string>> hosts;
  int32_t tasks = 0;  // of its array that wait, each a job
  /// A sentence that says what of the job is not understood; then it fits no host.
  std::string unknown = {};
  SlurmShape shape = {};
  bool whole = false;  // it has its hosts for itself
};

/// The verdicts by the job's number. A job that is not in `wants` came after them, and waits for
/// the next look.
using SlurmVerdicts = std::unordered_map<std::string, SlurmVerdict>;
SlurmVerdicts slurm_verdicts(const SlurmSnapshot& snapshot,
                             const std::unordered_map<std::string, SlurmWants>& wants);

/// Sets where each unit that waits could start, and how wide. `squeue --json` writes the waiting
/// tasks of an array as one job; the unit gets all of them.
void set_where_they_fit(const SlurmVerdicts& verdicts, std::vector<WorkUnit>& units);

}  // namespace leasehold::agent
