// The Slurm adapter makes caps of reservations of cores, "leasehold-<host>-<number>"
// (fence/fences.hpp), one a host for all slot groups there; the journal holds the parts of each
// cap. One slot is one core. Caps do not expire by themselves. Nodes that stand for hosts of other
// clusters (fence/others.hpp) are closed as a whole until a cap opens them, from the first look on.
// Somebody else's reservation keeps a host from being up, unless it has only a part of that one
// host.
#pragma once

#include <memory>

#include "agent/workload/slurm/fence/doubts.hpp"
#include "agent/workload/slurm/settings.hpp"
#include "agent/workload/support/adapter_settings.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/workload.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

/// `caller` runs Slurm's programs. If a controller answers, the call fails for a name of [hosts]
/// map that is no node, and for a host with an unclear owner; otherwise the first look does.
Result<std::unique_ptr<Workload>> open_slurm(const SlurmSettings& settings,
                                             const AdapterSettings& adapter, bool read_only = false,
                                             Caller caller = call_all,
                                             const TimeSource& time = machine_time());

}  // namespace leasehold::agent
