// Retention on a server: in short steps, which cost no leadership, whatever the role's limits are.
#include "broker/replay/verify.hpp"
#include "broker/store/postgres/kept_log.hpp"
#include "tests/support/whole_history.hpp"
#include "tests/unit/postgres/server.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using ServedSite = KeptSite<PostgresStore>;
constexpr int64_t kSizeBytes = 256 << 10;

/// Whatever is to be done for each row that is removed.
void at_removal(const ServerDatabase& database, const std::string& done) {
  database.sql("CREATE FUNCTION at_removal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + done +
               "; RETURN OLD; END $$");
  database.sql(
      "CREATE TRIGGER at_removal BEFORE DELETE ON log FOR EACH ROW EXECUTE FUNCTION at_removal()");
}

void limit_statements(const ServerDatabase& database, const std::string& to) {
  database.sql("ALTER ROLE leasehold IN DATABASE " + database.name() +
               " SET statement_timeout = '" + to + "'");
}

/// A leader that begins to keep history small where it is long.
std::unique_ptr<ServedSite> with_long_history(const ServerDatabase& database,
                                              const std::string& statement_timeout,
                                              const std::string& done_at_removal) {
  auto served = std::make_unique<ServedSite>(lead(database), one_pool(2, 4));
  served->begin();
  while (database.number("SELECT count(*) FROM log") < 3'000) served->flip_to_and_fro(50);
  REQUIRE(served->store->step_down(""));
  served->store.reset();
  limit_statements(database, statement_timeout);
  at_removal(database, done_at_removal);
  PostgresStore::Options options = leads_as("two");
  options.facts.ttl_ms = 10'000;
  options.retention = {0, kSizeBytes};
  options.retention_pause_ms = 0;
  served->store = lead(database, options);
  served->start();
  served->connect();
  return served;
}

int64_t database_bytes(const ServerDatabase& database) {
  return database.number(
      "SELECT (SELECT coalesce(sum(length(body) + 128), 0) FROM log) + "
      "(SELECT coalesce(sum(length(body) + 128), 0) FROM base)");
}

/// Rows of nobody, up to `events`, and who leads there.
Leadership play_rows(const ServerDatabase& database, PostgresSession& session, int64_t events) {
  const std::string last = std::to_string(events);
  database.sql(
      "INSERT INTO log SELECT i, i, i, false, 1, 1, decode(repeat('ab', 1 + i % 700), 'hex'), "
      "decode(repeat('00', 32), 'hex') FROM generate_series(1, " +
      last + ") i");
  database.sql("UPDATE leader SET log_end = " + last);
  const LeaderRow row = read_leader(session).value();
  return {row.epoch, row.incarnation, row.server, events, {}};
}

}  // namespace

TEST_CASE("a step grows twofold at the most, and shrinks to what it should take") {
  Pace pace(100, 10);
  pace.took(0);
  CHECK(pace.much() == 200);
  pace.took(Pace::kStepMs);
  CHECK(pace.much() == 200);
  pace.took(4 * Pace::kStepMs);
  CHECK(pace.much() == 50);
  pace.failed();
  CHECK(pace.much() == 10);
  for (int i = 0; i < 100; ++i) pace.took(1);
  CHECK(pace.much() == 1 << 20);
}

TEST_CASE("a log is counted in steps, and what comes and goes is kept up with") {
  const ServerDatabase database;
  lead(database).reset();
  auto session = PostgresSession::open(database.url(), PostgresSession::Use::to_write).value();
  const Leadership mine = play_rows(database, *session, 20'000);
  PostgresKept kept(*session, mine);
  REQUIRE(kept.used_bytes());
  CHECK(kept.waits());  // it is not known yet
  int steps = 0;
  for (; kept.has_left(); ++steps) REQUIRE(kept.go_on());
  CHECK(steps > 1);
  CHECK(kept.used_bytes().value() == database_bytes(database));
  const Chunk chunk{std::string(1'000, 'x'), {}};
  const std::vector<BasePart> parts{{10'000, 0, {}, chunk}, {15'000, 0, {}, chunk}};
  REQUIRE(kept.put(parts));
  CHECK(kept.used_bytes().value() == database_bytes(database));
  REQUIRE(kept.remove_before(15'000));
  for (steps = 0; kept.has_left(); ++steps) REQUIRE(kept.go_on());
  CHECK(steps > 1);
  CHECK(database.number("SELECT min(first_event) FROM log") == 15'001);
  CHECK(database.number("SELECT count(*) FROM log") == 5'000);
  CHECK(database.number("SELECT count(*) FROM base") == 1);
  CHECK(kept.used_bytes().value() == database_bytes(database));
}

TEST_CASE("a long history goes in steps below the role's statement_timeout, and its leader goes on",
          "[session]") {
  // It was one statement: canceling statement due to statement timeout, and the leadership was
  // lost.
  const ServerDatabase database;
  // All of it takes more than that.
  const auto served = with_long_history(database, "1500ms", "PERFORM pg_sleep(0.001)");
  CHECK(database_bytes(database) > kSizeBytes);
  require_whole(*reader(database.url()));  // also in the midst of it
  for (int i = 0; i < 2'000 && database_bytes(database) > kSizeBytes; ++i) {
    if (i % 2 == 0) served->flip_to_and_fro(2);
    REQUIRE(served->store->renew());
    INFO(served->store->compaction_error());
    REQUIRE(served->store->compaction_error().empty());
  }
  CHECK(database_bytes(database) <= kSizeBytes);
  CHECK(reader(database.url())->first_event().value() > 1'500);
  CHECK(served->store->leadership().epoch == 2);
  CHECK(served->store->renew());
  require_whole(*reader(database.url()));
}

TEST_CASE("retention that fails is told and tried again, and its leader goes on", "[session]") {
  const ServerDatabase database;
  const auto served = with_long_history(database, "200ms", "PERFORM pg_sleep(600)");
  CHECK(served->store->compaction_error().find("statement timeout") != std::string::npos);
  CHECK(served->store->renew());
  CHECK(served->store->leads_until_ms() != INT64_MIN);
  CHECK(database.number("SELECT min(first_event) FROM log") == 1);
  database.sql("DROP TRIGGER at_removal ON log");
  for (int i = 0; i < 2'000 && database_bytes(database) > kSizeBytes; ++i) {
    served->flip_to_and_fro(2);
  }
  CHECK(served->store->compaction_error().empty());
  CHECK(database_bytes(database) <= kSizeBytes);
  CHECK(served->store->leadership().epoch == 2);
  require_whole(*reader(database.url()));
}

TEST_CASE("rule 4: retention that finds another leader is its broker's end") {
  const ServerDatabase database;
  const auto served = with_long_history(database, "0", "RAISE EXCEPTION 'no'");
  CHECK_FALSE(served->store->compaction_error().empty());
  database.sql("UPDATE leader SET epoch = epoch + 1");
  served->batch = 1'000;
  served->busy("east", 4);
  CHECK_FALSE(served->store->commit(served->site.state).has_value());
  CHECK(served->store->leads_until_ms() == INT64_MIN);
}
