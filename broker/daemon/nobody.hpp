// Why nobody leads, in words for people: what keeps brokers from it, and what would help.
#pragma once

#include <string>

#include "broker/store/candidate.hpp"
#include "broker/views/standing.hpp"
#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Of a database that cannot be asked (`unread`), or a take-over that failed. `since` is the
/// caller's.
NobodyLeads nobody_because(const Error& error, bool alone);

/// Of what the database tells of whoever it names. `takes_over`: this broker does then, if nobody
/// does before; kNever: nobody knows.
NobodyLeads nobody_because(const Candidacy& seen, Instant takes_over);

}  // namespace leasehold
