// The leader's row says who wrote it, and where; these tests use a real server.
#include <atomic>
#include <chrono>
#include <thread>

#include "broker/store/postgres/leader.hpp"
#include "tests/unit/postgres/server.hpp"
using namespace leasehold;
using namespace leasehold::test;

namespace {

using ServedSite = KeptSite<PostgresStore>;

}  // namespace

TEST_CASE("rule 15: a leader's row that a restore or a hand wrote is not as it was written") {
  // Symptom: the documented restore of a dump on the same server was taken as warm, and slots were
  // used twice for 9 minutes.
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  const auto as_written = [&database] {
    const auto session = PostgresSession::open(database.url(), PostgresSession::Use::to_read);
    return read_leader(**session).value().as_written;
  };
  served.begin();
  CHECK(as_written());
  served.flip_to_and_fro(1);
  CHECK(as_written());
  REQUIRE(served.store->renew());
  CHECK(as_written());
  SECTION("by a hand") {
    database.sql("UPDATE leader SET renewal = renewal");
  }
  SECTION("in a copy of the database, as in one restored under its name") {
    database.sql("UPDATE leader SET in_database = 1, written_by = pg_current_xact_id()");
  }
  SECTION("in a database that was put aside, and renamed back") {
    database.put_aside_and_back();
  }
  SECTION("as COPY of a dump of the data alone does") {
    database.sql(
        "CREATE TABLE dumped AS SELECT * FROM leader; TRUNCATE leader; "
        "INSERT INTO leader SELECT * FROM dumped; DROP TABLE dumped");
  }
  CHECK_FALSE(as_written());
}

TEST_CASE("rule 15: who steps down leaves a row as it was written") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  REQUIRE(served.store->step_down(""));
  const auto session = PostgresSession::open(database.url(), PostgresSession::Use::to_read);
  CHECK(read_leader(**session).value().as_written);
}

TEST_CASE("rule 1: a server is an instant: another TimeZone or DateStyle deposes nobody") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  database.sql("ALTER DATABASE " + database.name() + " SET TimeZone = 'Asia/Kathmandu'");
  database.sql("ALTER DATABASE " + database.name() + " SET DateStyle = 'German'");
  const auto session = PostgresSession::open(database.url(), PostgresSession::Use::to_read);
  const LeaderRow seen = read_leader(**session).value();
  CHECK(seen.server == seen.present);
}

TEST_CASE("rule 1: synchronous_commit = remote_apply is as good as on", "[session]") {
  const ServerDatabase database;
  database.sql("ALTER DATABASE " + database.name() + " SET synchronous_commit = remote_apply");
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  CHECK(database.number("SELECT count(*) FROM log") > 0);
}
