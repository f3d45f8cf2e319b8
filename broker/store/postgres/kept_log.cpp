#include "broker/store/postgres/kept_log.hpp"

namespace leasehold {

namespace {

/// Commits what `act` does after the leadership was renewed; nothing of it where that fails.
template <class Do>
Status as_leader(PostgresSession& session, const Leadership& mine, Do act) {
  if (Status begun = session.begin(PostgresSession::Sees::newest); !begun) return begun;
  Status done = renew(session, mine);
  if (done) done = act();
  if (done) return session.commit();
  session.roll_back();
  return done;
}

}  // namespace

Status PostgresKept::put_one(const BasePart& part) {
  const auto done = session_.run("INSERT INTO base VALUES ($1, $2, $3, $4, $5)", part.last_event,
                                 part.part, part.time.ms, pqxx::binarystring(part.chunk.body),
                                 pqxx::binarystring(std::string(bytes_of(part.chunk.hash))));
  return done ? Status{} : tl::unexpected(done.error());
}

Status PostgresKept::put(std::span<const BasePart> parts) {
  return as_leader(session_, mine_, [&]() -> Status {
    for (const BasePart& part : parts) {
      if (Status done = put_one(part); !done) return done;
    }
    return {};
  });
}

Result<KeptLog::Since> PostgresKept::since_base() {
  const auto found = session_.run(
      "WITH newest AS (SELECT max(last_event) AS event FROM base WHERE part = 0) SELECT "
      "(SELECT coalesce(sum(length(body)), 0) FROM base, newest WHERE last_event = event), "
      "coalesce(sum(length(body)), 0), min(time_ms) FROM log "
      "WHERE first_event > coalesce((SELECT event FROM newest), 0)");
  if (!found) return tl::unexpected(found.error());
  const pqxx::row row = (*found)[0];
  Since since;
  since.base_bytes = row[0].as<int64_t>();
  since.bytes = row[1].as<int64_t>();
  if (!row[2].is_null()) since.time = Instant{row[2].as<int64_t>()};
  return since;
}

Result<int64_t> PostgresKept::used_bytes() {
  const PostgresSession::Unhurried unhurried(session_);  // it goes through all of the log
  const auto found = session_.run(
      "SELECT (SELECT coalesce(sum(length(body) + 128), 0) FROM log) + "
      "(SELECT coalesce(sum(length(body) + 128), 0) FROM base)");
  if (!found) return tl::unexpected(found.error());
  return (*found)[0][0].as<int64_t>();
}

Status PostgresKept::remove_rows(int64_t base) {
  const auto bases = session_.run("DELETE FROM base WHERE last_event < $1", base);
  if (!bases) return tl::unexpected(bases.error());
  const auto rows = session_.run("DELETE FROM log WHERE first_event <= $1", base);
  return rows ? Status{} : tl::unexpected(rows.error());
}

Status PostgresKept::remove_before(int64_t base) {
  const PostgresSession::Unhurried unhurried(session_);  // it may be a year that goes
  return as_leader(session_, mine_, [&] { return remove_rows(base); });
}

}  // namespace leasehold
