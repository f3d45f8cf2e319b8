// LSF, by its documentation only: this was never run on a real one. A fence is the host's number of
// job slots (MXJ of lsb.hosts), set by live reconfiguration (bconf). It is exact, survives a
// restart of mbatchd, and is shown by `bhosts` as MAX, so that fences are read together with use. A
// lower number ends no work: the host is closed_Full until its jobs end. Imported hosts are in
// lsb.hosts with MXJ 0 until slots are granted.
//
// Advance reservations are not used: an active one may suspend running work, and it needs an end.
// Nor is `badmin hclose`, which closes a whole host; it remains the administrator's, and a host
// closed so is not up. Memory, swap and resources are not fenced.
#pragma once

#include <memory>

#include "agent/workload/lsf/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/workload.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

/// `read_only`: nothing is changed and enforce() is refused. `time` must outlive the adapter.
Result<std::unique_ptr<Workload>> open_lsf(const LsfSettings& settings,
                                           const AdapterSettings& adapter, Caller caller,
                                           bool read_only, const TimeSource& time = machine_time());

}  // namespace leasehold::agent
