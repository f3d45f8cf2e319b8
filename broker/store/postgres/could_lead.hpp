// Whether a take-over would come through, asked by a broker that stands by, before it must.
#pragma once

#include "broker/store/postgres/session.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Reads, and changes nothing: the schema, whether commits wait for the disk, whether the log ends
/// where the leader's row says, and whether there is the state that it begins with. Error: what
/// would keep whoever took over now from it.
Status check_could_lead(PostgresSession& session);

}  // namespace leasehold
