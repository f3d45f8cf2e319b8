// Command: a site's own program as the workload manager's face: one call a request, JSON on stdin
// and stdout. What is asked and what is right to answer stands in README.md here, with an example.
// Not a shell: the program is started by its argument vector (support/call.hpp).
#pragma once

#include <memory>

#include "agent/workload/command/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

/// Asks the program to describe itself. `read_only`: for a look; nothing that changes is asked.
Result<std::unique_ptr<Workload>> open_command(const CommandSettings& settings,
                                               const AdapterSettings& adapter, Caller caller,
                                               bool read_only);

}  // namespace leasehold::agent
