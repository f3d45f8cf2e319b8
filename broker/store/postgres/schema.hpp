// Makes the tables of a PostgreSQL database where there are none, and checks their version where
// there are. Each step of schema/sql/postgres is one transaction.
#pragma once

#include <span>

#include "broker/store/postgres/session.hpp"

namespace leasehold {

/// Steps from an empty database, in order; the last one's number is the schema's.
struct ServerStep {
  int version = 0;
  const char* sql = "";
};
std::span<const ServerStep> server_steps();

/// Makes what is missing. Two brokers may come at once: one of them does it. Refused: a newer
/// schema.
Status make_schema(PostgresSession& session);

/// Returns ok only if the schema is exactly the last step's.
Status check_schema(PostgresSession& session);

}  // namespace leasehold
