// Says in words for people why nobody leads: what keeps brokers from it, and what would help.
#pragma once

#include <string>

#include "broker/store/candidate.hpp"
#include "broker/views/clusters/leader_view.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

/// Explains a database that cannot be asked, or a take-over that failed. The caller fills in
/// `since` and `unread`.
NobodyLeads nobody_because(const Error& error, bool alone);

/// Explains what the last look found. At `takes_over` this broker takes over, if nobody does
/// before; kNever: that time is not known.
NobodyLeads nobody_because(const Candidacy& seen, Instant takes_over);

}  // namespace leasehold
