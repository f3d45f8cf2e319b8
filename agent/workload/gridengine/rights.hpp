// Finds out what the agent's user may not do in a Grid Engine cell.
#pragma once

#include <string>
#include <vector>

#include "agent/workload/gridengine/cell.hpp"

namespace leasehold::agent {

/// Answers Workload::permissions_lacking().
Result<std::vector<std::string>> rights_lacking(const GridEngineCell& cell);

}  // namespace leasehold::agent
