// Returns: what consumers hold above what they may goes back to the provider, and from there leaves
// the group (ledger/export_counts.hpp). Of a plan's members what they are due decides
// (ledger/dues.hpp).
#pragma once

#include "broker/core/ledger/dues.hpp"

namespace leasehold {

/// A step of converge(): withdraws what is asked back too much, or otherwise than is due; starts
/// returns of what consumers hold above their caps; closes the group where it is empty. `members`:
/// of a plan, which of its members are checked.
void ask_back(Turn& turn, uint32_t group, MembersToCheck members);

}  // namespace leasehold
