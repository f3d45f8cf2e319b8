#include "broker/store/postgres/could_lead.hpp"

#include "broker/store/log/ends.hpp"
#include "broker/store/postgres/leader.hpp"
#include "broker/store/postgres/log.hpp"
#include "broker/store/postgres/schema.hpp"

namespace leasehold {

namespace {

/// Reads within one snapshot.
Status check_log(PostgresSession& session) {
  PostgresLog log(session);
  const Result<LeaderRow> row = read_leader(session);
  if (!row) return tl::unexpected(row.error());
  const Result<LogEnd> end = read_end(log);
  if (!end) return tl::unexpected(end.error());
  if (end->last_event != row->log_end || end->hash != row->log_hash) return ends_elsewhere(session);
  const Result<int64_t> first = log.first_event();
  if (!first) return tl::unexpected(first.error());
  const auto bases = log.bases();
  if (!bases) return tl::unexpected(bases.error());
  if (*first <= 1 || !bases->empty()) return {};
  return fail(ErrorCode::corrupt, "the database " + session.name() +
                                      " has lost the state that its log begins with; restore a "
                                      "backup of it");
}

}  // namespace

Status check_could_lead(PostgresSession& session) {
  if (Status known = check_schema(session); !known) return known;
  if (Status durable = require_durable(session); !durable) return durable;
  if (Status begun = session.begin(PostgresSession::Sees::one); !begun) return begun;
  Status sound = check_log(session);
  session.roll_back();
  return sound;
}

}  // namespace leasehold
