// What an agent may not do in a Slurm cluster and would have to, in sentences for people.
#pragma once

#include <string>
#include <vector>

#include "agent/workload/adapter_settings.hpp"
#include "agent/workload/slurm_scene.hpp"

namespace leasehold::agent {

std::vector<std::string> slurm_rights_lacking(const SlurmScene& scene, SlurmFence mode);

}  // namespace leasehold::agent
