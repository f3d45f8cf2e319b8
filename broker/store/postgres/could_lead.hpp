// Checks, for a broker that stands by, whether a take-over would succeed, before it must.
#pragma once

#include "broker/store/postgres/session.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Checks the schema, whether commits wait for the disk, whether the log ends where the leader's
/// row says, and whether the state that it begins with is there. Changes nothing. Returns an error
/// that says why a take-over now would fail.
Status check_could_lead(PostgresSession& session);

}  // namespace leasehold
