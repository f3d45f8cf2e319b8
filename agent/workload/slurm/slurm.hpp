// The Slurm adapter: caps are reservations of cores, "leasehold-<host>-<number>"
// (fences.hpp), one a host for all slot groups there; what they were made from stands in the
// journal. One slot is one core. Not self-expiring. Nodes that stand for hosts of other clusters
// (others.hpp) are closed as a whole until a cap opens them, from the first look on. A host on
// which somebody else has a reservation is not up.
#pragma once

#include <memory>

#include "agent/workload/slurm/doubts.hpp"
#include "agent/workload/slurm/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/workload.hpp"
#include "common/clock.hpp"

namespace leasehold::agent {

/// `caller` answers for Slurm's programs. Fails when a name of the table is no node, if a
/// controller answers; else the first look does.
Result<std::unique_ptr<Workload>> open_slurm(const SlurmSettings& settings,
                                             const AdapterSettings& adapter, bool read_only = false,
                                             Caller caller = call_all,
                                             const TimeSource& time = machine_time());

}  // namespace leasehold::agent
