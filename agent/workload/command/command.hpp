// Command: a site's own program as the interface to its workload manager: one call for each
// request, JSON on stdin and stdout. agent/workload/README.md, "command: a site's own program", has
// the requests, the right answers, and an example. No shell is used: the program is started by its
// argument vector (support/call.hpp).
#pragma once

#include <memory>

#include "agent/workload/command/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

/// Asks the program to describe itself. `read_only`: nothing that changes is asked.
Result<std::unique_ptr<Workload>> open_command(const CommandSettings& settings,
                                               const AdapterSettings& adapter, Caller caller,
                                               bool read_only);

}  // namespace leasehold::agent
