// LSF, by its documentation only: it has not been run on a real one. A fence is the host's number
// of job slots (MXJ of lsb.hosts), set by live reconfiguration (bconf): exact, kept by a restart of
// mbatchd, and shown by `bhosts` as MAX, so that what stands is read back where use is read. A
// lower number ends no work: the host is closed_Full until its jobs end. Imported hosts stand in
// lsb.hosts with MXJ 0 until slots are granted.
//
// Not an advance reservation: once active it may suspend work that runs, and it needs an end. Not
// `badmin hclose`: all of a host or nothing; it stays the administrator's own word, and a host so
// closed is not up. Not memory, swap, resources.
#pragma once

#include <memory>

#include "agent/workload/lsf/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/workload.hpp"
#include "common/clock.hpp"

namespace leasehold::agent {

/// `read_only`: for a look; nothing is changed and enforce() is refused. `time` outlives it.
Result<std::unique_ptr<Workload>> open_lsf(const LsfSettings& settings,
                                           const AdapterSettings& adapter, Caller caller,
                                           bool read_only, const TimeSource& time = machine_time());

}  // namespace leasehold::agent
