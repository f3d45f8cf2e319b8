// Returns: what consumers hold above what they may goes back to the provider, and from there leaves
// the group (ledger/export_counts.hpp). Of a plan's members what they are due decides
// (ledger/dues.hpp).
#pragma once

#include "broker/core/ledger/dues.hpp"

namespace leasehold {

/// A step of converge(): starts shrinks for what consumers hold above their caps; closes the group
/// where it is empty. `members`: of a plan, which of its members are checked.
void ask_back(Turn& turn, uint32_t group, MembersToCheck members);

/// Cancels the shrinks and reclaims from consumers. A plan's reclaims are restarted for the part
/// that is still wanted.
void call_off_returns(Turn& turn, uint32_t group);

/// Cancels the shrinks and reclaims from all members but the provider, renews the configurations of
/// all members and marks the group. A plan's reclaims are restarted for the part that is still
/// wanted.
void replan_group(Turn& turn, uint32_t group);

}  // namespace leasehold
