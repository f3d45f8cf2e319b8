// The files and programs of a workload manager that the [workload] table names: are they there?
#pragma once

#include "agent/workload/open_workload.hpp"
#include "common/config/file.hpp"

namespace leasehold::agent {

/// Mistakes are added to the table's file, at the key that names what is not there.
void check_named_files(const ConfigTable& workload, const WorkloadSettings& settings);

}  // namespace leasehold::agent
