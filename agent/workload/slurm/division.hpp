// Whether a Slurm cluster's hosts may be used by another cluster at the same time, each with a part
// of the cores, by what Slurm prints of its settings. Its core reservations count cores and name
// none, so what Slurm gives out besides a number of cores would be given out twice. Pure.
#pragma once

#include <string>
#include <vector>

#include "agent/workload/slurm/scene.hpp"
#include "common/wire/division.hpp"

namespace leasehold::agent {

/// Jobs are given memory as they are given cores, and no more than a host has.
bool gives_out_memory(const SlurmController& controller);

/// The first reason that holds, or that it may be split.
wire::Division slurm_division(const SlurmScene& scene, const SlurmNode& node);

/// A sentence for each reason that some host has: the setting, what follows, what can be done.
std::vector<std::string> slurm_division_cautions(const SlurmScene& scene);

}  // namespace leasehold::agent
