// Grid Engine: slots of one queue, host by host. A fence is the host's own number of slots in the
// queue's configuration ([host=n]). It is exact and durable at once, and running jobs do not lose
// by it; while as many slots or more are in use nothing new starts. The master accepts a number
// below what is in use, which is what a cap asks for. The administrator's number is kept beside the
// journal and restored with the last cap. Imported hosts are hosts of the same queue with 0 slots
// until granted. Other queues of the same hosts, memory and resources are not fenced.
// agent/workload/README.md, "gridengine: slots of one queue", has the set-up.
#pragma once

#include <memory>

#include "agent/workload/gridengine/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/workload.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

/// Checks the settings alone, as open_gridengine() does.
Status check_gridengine(const GridEngineSettings& settings, const HostNames& names);

/// A wrong configuration is an error; a master that does not answer is an error of read().
/// `read_only`: nothing is changed and enforce() is refused. `time` must outlive it.
Result<std::unique_ptr<Workload>> open_gridengine(const GridEngineSettings& settings,
                                                  const AdapterSettings& adapter, Caller caller,
                                                  bool read_only,
                                                  const TimeSource& time = machine_time());

}  // namespace leasehold::agent
