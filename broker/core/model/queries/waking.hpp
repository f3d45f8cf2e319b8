// Waking: slots of hosts that are being switched on, for whom work waits already. Reads only.
#pragma once

#include <cstdint>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Returns the slots of the lease that its consumer may have then.
int64_t waking_slots(const State& state, const SlotGroup& lease);
/// Returns the slots that the cluster may have then by all its leases, whoever provides them.
int64_t waking_in_leases(const State& state, uint32_t cluster);
/// Returns the slots that the cluster is due then in plans, on hosts of others.
int64_t waking_in_plans(const State& state, uint32_t cluster);

}  // namespace leasehold
