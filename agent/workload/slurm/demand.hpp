// These functions turn a look at a Slurm cluster into the agent's view: facts of a node, and slots
// that pending jobs want and leased hosts could serve. They are pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "agent/core/limits/view.hpp"
#include "agent/workload/slurm/verdicts.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

struct SlurmLeased {
  std::vector<std::string> partitions;  // whose jobs could run on leased hosts; empty: all
  std::set<std::string> hosts;
  std::set<std::string> imported = {};
};

/// Returns the jobs that would start on a leased host if more of its slots were theirs
/// (verdicts.hpp). A job that has its hosts for itself takes them whole, and needs of each what it
/// asked for. One that wants a single host wants all its slots there, unless no host has so many:
/// squeue does not say whether it might be spread.
std::vector<WaitingWork> slurm_waiting(const SlurmSnapshot& snapshot, const SlurmLeased& leased,
                                       const SlurmVerdicts& verdicts);

/// Returns the number of slots that these jobs want: a host that is taken whole counts as the
/// largest host that could be leased.
int64_t slurm_pending(const SlurmSnapshot& snapshot, const SlurmLeased& leased,
                      const std::vector<WaitingWork>& waiting);

/// Returns the running jobs without those that are fences.
std::vector<RunningWork> slurm_running(const SlurmSnapshot& snapshot, const SlurmLeased& leased);

WorkShapes slurm_shapes(const SlurmSnapshot& snapshot, const SlurmLeased& leased,
                        const SlurmVerdicts& verdicts);

/// Returns the facts of a host; its active features are its boolean resources.
wire::HostFacts slurm_facts(const SlurmHost& host, const HostLoad& load);

}  // namespace leasehold::agent
