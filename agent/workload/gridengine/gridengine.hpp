// Grid Engine: slots of one queue, host by host. A fence is the host's own number of slots in the
// queue's configuration ([host=n]): exact, durable at once, and left alone by running jobs; at or
// above it nothing new starts. The master does not refuse a number below what is in use, which is
// what a cap asks for. What the administrator had there is kept beside the journal and put back
// with the last cap. Imported hosts are hosts of the same queue with 0 slots until granted.
// Not: other queues of the same hosts, memory, resources. README.md here has the set-up.
#pragma once

#include <memory>

#include "agent/workload/gridengine/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/workload.hpp"
#include "common/clock.hpp"

namespace leasehold::agent {

/// What open_gridengine() refuses of the settings alone.
Status check_gridengine(const GridEngineSettings& settings, const HostNames& names);

/// A wrong configuration is an error; a master that does not answer is one of read(). `read_only`:
/// for a look; nothing is changed and enforce() is refused. `time` outlives it.
Result<std::unique_ptr<Workload>> open_gridengine(const GridEngineSettings& settings,
                                                  const AdapterSettings& adapter, Caller caller,
                                                  bool read_only,
                                                  const TimeSource& time = machine_time());

}  // namespace leasehold::agent
