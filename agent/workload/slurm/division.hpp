// These functions tell whether another cluster may use a part of a host's cores at the same time,
// by Slurm's settings. Slurm's core reservations count cores and name none, so what Slurm gives out
// besides a number of cores would be given out twice. They are pure.
#pragma once

#include <string>
#include <vector>

#include "agent/workload/slurm/look/snapshot.hpp"
#include "common/wire/division.hpp"

namespace leasehold::agent {

/// True if Slurm gives out memory as it gives out cores, and no more than a host has.
bool gives_out_memory(const SlurmController& controller);

/// Returns the first reason against a division, or that the host is divisible.
wire::Division slurm_division(const SlurmSnapshot& snapshot, const SlurmNode& node);

/// Returns a sentence for each reason that some host has: the setting, what follows, what can be
/// done.
std::vector<std::string> slurm_division_cautions(const SlurmSnapshot& snapshot);

}  // namespace leasehold::agent
