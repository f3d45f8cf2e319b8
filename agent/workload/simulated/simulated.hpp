// SimulatedWorkload: a workload manager that only pretends: hosts as configured, jobs of a trace or
// a generator, on the job model that `leasectl simulate` uses. It is kept in a file of its own and
// goes on while the agent is dead: whoever opens the file next first runs the time between under
// the caps that were enforced, and closes leased slots at the instant that was set. Jobs are placed
// on own slots first, and may span hosts.
#pragma once

#include <functional>
#include <memory>

#include "agent/workload/simulated/settings.hpp"
#include "agent/workload/workload.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

/// Returns milliseconds of a clock that goes on while no agent runs.
using WallClock = std::function<int64_t()>;

/// `read_only`: nothing is written and enforce() is refused. `time` is for the end of leases, which
/// is an instant of CLOCK_BOOTTIME; it must outlive the workload.
Result<std::unique_ptr<Workload>> open_simulated(const SimulatedSettings& settings, WallClock clock,
                                                 bool read_only = false,
                                                 const TimeSource& time = machine_time());

}  // namespace leasehold::agent
