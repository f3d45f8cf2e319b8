// Waking: slots of hosts that are being switched on, for whom work waits already. Reads only.
#pragma once

#include <cstdint>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Returns the slots of the lease that its consumer may have then.
int64_t waking_slots(const State& state, const SlotGroup& lease);
/// Returns the slots of others' hosts that the cluster may have then by all its leases, or is due
/// in plans.
int64_t waking_slots_of(const State& state, uint32_t cluster);

}  // namespace leasehold
