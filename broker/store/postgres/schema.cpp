#include "broker/store/postgres/schema.hpp"

#include "common/version.hpp"

namespace leasehold {

namespace {

/// 0: none was made yet. Asked of pg_class: to_regclass() alone may answer from what the session
/// found before another one made it.
Result<int> version_of(PostgresSession& session) {
  const auto there = session.run(
      "SELECT EXISTS (SELECT FROM pg_catalog.pg_class WHERE relname = 'leasehold_schema' AND "
      "pg_catalog.pg_table_is_visible(oid))");
  if (!there) return tl::unexpected(there.error());
  if (!(*there)[0][0].as<bool>()) return 0;
  const auto found = session.run("SELECT coalesce(max(version), 0) FROM leasehold_schema");
  if (!found) return tl::unexpected(found.error());
  return (*found)[0][0].as<int>();
}

tl::unexpected<Error> too_new(const PostgresSession& session, int found) {
  return fail(ErrorCode::version, "the database " + session.name() + " has schema " +
                                      std::to_string(found) + ", this program knows up to " +
                                      std::to_string(server_steps().back().version) +
                                      "; use the program that wrote it or a newer one");
}

Status apply(PostgresSession& session, const ServerStep& step) {
  if (Status done = session.run_all(step.sql); !done) return done;
  const auto noted = session.run("INSERT INTO leasehold_schema VALUES ($1, $2)", step.version,
                                 std::string(kVersion));
  return noted ? Status{} : tl::unexpected(noted.error());
}

/// Within a transaction: whoever comes second waits for the first, and finds all done.
Status make_steps(PostgresSession& session) {
  constexpr const char* kOneAtATime = "SELECT pg_advisory_xact_lock(5499460912563474244)";
  if (Status locked = session.run_all(kOneAtATime); !locked) return locked;
  const Result<int> found = version_of(session);
  if (!found) return tl::unexpected(found.error());
  if (*found > server_steps().back().version) return too_new(session, *found);
  if (*found == 0) {
    constexpr const char* kTable =
        "CREATE TABLE leasehold_schema (version integer PRIMARY KEY, program_version text NOT "
        "NULL)";
    if (Status made = session.run_all(kTable); !made) return made;
  }
  for (const ServerStep& step : server_steps()) {
    if (step.version <= *found) continue;
    if (Status done = apply(session, step); !done) return done;
  }
  return {};
}

}  // namespace

Status make_schema(PostgresSession& session) {
  if (Status known = check_schema(session); known) return {};
  const PostgresSession::Unhurried unhurried(session);  // a step may be over a long table
  if (Status begun = session.begin(PostgresSession::Sees::newest); !begun) return begun;
  if (Status made = make_steps(session); !made) return session.roll_back(), made;
  return session.commit();
}

Status check_schema(PostgresSession& session) {
  const Result<int> found = version_of(session);
  if (!found) return tl::unexpected(found.error());
  const int last = server_steps().back().version;
  if (*found == last) return {};
  if (*found > last) return too_new(session, *found);
  return fail(ErrorCode::version, "the database " + session.name() +
                                      (*found == 0 ? " is no broker's" : " has an older schema") +
                                      "; start a broker on it once, which makes its tables");
}

}  // namespace leasehold
