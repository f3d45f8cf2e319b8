// Asleep: which hosts of a lease that power saving has switched off its next evaluation would give
// to the consumer for work that waits, if they were up. Reads only, and moves nothing: the agent of
// their owner is told (agents/off_hosts.hpp), and once they are up an evaluation lends them. Of
// plans: plan/asleep.hpp.
#pragma once

#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Rows of hosts to be switched on; none while idle slots of other hosts go to that work. A lease
/// that is not made yet wants its first slots. Contract: of a lease.
std::vector<uint32_t> rows_to_wake(const State& state, const SlotGroup& group);

}  // namespace leasehold
