// SlurmVerdicts: of each job that waits, on which hosts it could start if cores were free there.
// Pending slots, shapes, sessions and preemption all go by it. A job that is not among them is kept
// back: held, by a limit, for a time or for another job. Pure.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/workload/slurm/scene.hpp"
#include "agent/workload/slurm/wants.hpp"

namespace leasehold::agent {

struct SlurmVerdict {
  /// Names; empty: on none. Jobs that want the same share it.
  std::shared_ptr<const std::vector<std::string>> hosts;
  int32_t tasks = 0;  // of its array that wait, each a job
  /// A sentence that says what of the job is not understood: it is kept back then.
  std::string unknown = {};
};

/// By the job's number. A job that is not among `wants` came after them, and waits for the next
/// look.
using SlurmVerdicts = std::unordered_map<std::string, SlurmVerdict>;
SlurmVerdicts slurm_verdicts(const SlurmScene& scene,
                             const std::unordered_map<std::string, SlurmWants>& wants);

/// Sets where each unit that waits could start. `squeue --json` writes the waiting tasks of an
/// array as one job; the unit gets the slots of all of them.
void tell_where_they_fit(const SlurmVerdicts& verdicts, std::vector<WorkUnit>& units);

}  // namespace leasehold::agent
