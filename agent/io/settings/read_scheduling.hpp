// Reads [scheduling] and [[session_type]] of the agent's configuration (config/agent.toml).
#pragma once

#include "agent/core/work/scheduling.hpp"
#include "common/config/file.hpp"

namespace leasehold::agent {

/// Mistakes are added to the file's errors. A type that can never be reached is one; a key without
/// effect beside the others is a warning.
SchedulingSettings read_scheduling(const ConfigTable& root);

}  // namespace leasehold::agent
