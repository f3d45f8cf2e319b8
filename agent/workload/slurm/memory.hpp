// A job that waits for memory may need more cores than it asks for: where a CPU may have
// MaxMemPerCPU at most, Slurm gives a job as many CPUs as its memory takes, and says so only when
// the job starts.
#pragma once

#include "agent/workload/slurm/look/snapshot.hpp"

namespace leasehold::agent {

/// Raises the CPUs of jobs that wait to those that they would be given for their memory.
void add_cpus_for_memory(SlurmSnapshot& snapshot);

}  // namespace leasehold::agent
