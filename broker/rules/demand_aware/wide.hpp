// Wide jobs, for which idle slots are gathered: whether gathering can succeed, and what may run on
// such slots meanwhile. decide.cpp decides when they are gathered.
#pragma once

#include "broker/rules/demand_aware/ledger.hpp"
#include "broker/rules/demand_aware/view.hpp"

namespace leasehold::demand_aware {

/// Slots are kept for a job that is too wide for what is idle for so long at most. Nothing is
/// gathered there again for as long, for whatever shape: who claims another one each time holds
/// idle slots for half of the time at most.
inline constexpr int64_t kGatherMs = 600'000;

/// True if a job of it would fit what the group and the member's own hosts have in all.
bool would_fit(const View& view, uint8_t member, const Waiting& waiting);

/// Returns the waiting work that will have ended, and its slots be back, when the gathering for the
/// other member is over. It is only for the provider, whose slots they are: a limit that is not
/// true then takes nothing from anybody else.
std::vector<Waiting> short_enough(const View& view, uint8_t member, const Ledger& ledger);

}  // namespace leasehold::demand_aware
