// Asleep: which hosts of leases that power saving has switched off their next evaluations would
// give to a consumer for work that waits, if they were up. Reads only, and moves nothing: the
// agents of their owners learn them (agents/off_hosts.hpp), and once they are up an evaluation
// lends them. Of plans: plan/asleep.hpp.
#pragma once

#include <vector>

#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

/// Whoever is named first for a consumer's work is another lease after so long: its host may not
/// come up.
inline constexpr int64_t kWakeTurnMs = 300'000;

/// Returns hosts to be switched on in leases of that consumer, whoever provides them: no more than
/// its work lacks beyond what other idle slots start and what is being switched on for it, but all
/// hosts that one job needs together. A lease that is not made yet wants its first slots. Leases of
/// which a host sleeps are looked at in turn, a bounded number of them. What plans name for the
/// same work meanwhile is not known here.
std::vector<RowRef> lease_rows_to_wake(const State& state, uint32_t consumer, Instant now);

}  // namespace leasehold
