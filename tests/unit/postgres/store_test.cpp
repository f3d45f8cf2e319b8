// The store on a real PostgreSQL: what it keeps, what every reader makes of it, and what becomes of
// a commit that does not come through.
#include "broker/store/postgres/store.hpp"

#include <nlohmann/json.hpp>

#include "broker/replay/backup_file.hpp"
#include "broker/replay/backup_page.hpp"
#include "broker/replay/lookup.hpp"
#include "broker/replay/rebuild.hpp"
#include "broker/replay/usage.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/log/history.hpp"
#include "broker/views/catalogue.hpp"
#include "tests/support/state_digest.hpp"
#include "tests/support/whole_history.hpp"
#include "tests/unit/postgres/server.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using ServedSite = KeptSite<PostgresStore>;

/// Everything of an event but the epoch of its row, which a file has not.
std::vector<std::string> texts_of(Log& log) {
  HistoryFilter all;
  all.inputs = all.payloads = true;
  std::vector<std::string> lines;
  const std::vector<HistoryRow> rows = history(log, all).value();
  for (const HistoryRow& row : rows) {
    lines.push_back(std::to_string(row.id) + " " + std::to_string(row.batch) + " " +
                    format_utc(row.time) + " " + row.kind + " " + row.lease + " " + row.cluster +
                    " " + row.reason + " " + row.payload);
  }
  return lines;
}

}  // namespace

TEST_CASE("what a server keeps is what a file keeps, and every reader tells the same of it") {
  const TempDir dir;
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  RecordedSite recorded(dir.file("broker.db"));
  for (const int flips : {0, 6}) {
    if (flips == 0) {
      served.begin();
      recorded.begin();
    }
    served.flip_to_and_fro(flips);
    recorded.flip_to_and_fro(flips);
  }
  const auto read = reader(database.url());
  CHECK(texts_of(*read) == texts_of(recorded.store->log()));
  CHECK(state_digest(load(*read)) == state_digest(recorded.site.state));
  CHECK(state_digest(load(*read)) == state_digest(served.site.state));
  for (const int64_t back_ms : {0, 600'000, 2'000'000}) {
    const Instant at = served.site.now + -back_ms;
    const auto on_server = state_at(*read, at);
    INFO((on_server ? "" : describe(on_server.error())));
    REQUIRE(on_server.has_value());
    CHECK(state_digest(*on_server) == state_digest(*state_at(recorded.store->log(), at)));
  }
  CHECK(usage_rows(*read, std::nullopt, std::nullopt)->dump() ==
        usage_rows(recorded.store->log(), std::nullopt, std::nullopt)->dump());
  require_whole(*read);
  CHECK(database.number("SELECT min(epoch) FROM log") == 1);
}

TEST_CASE("a broker that leads again on a server goes on where the one before ended") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  served.flip_to_and_fro(2);
  const Hash before = state_digest(served.site.state);
  REQUIRE(served.store->step_down(""));
  served.store = lead(database, leads_as("two"));
  CHECK(state_digest(load(*served.store)) == before);
  served.start();
  served.connect();
  served.flip_to_and_fro(2);
  CHECK(served.store->leadership().epoch == 2);
  require_whole(*reader(database.url()));
}

TEST_CASE("retention on a server removes what is before a base, and the rest is whole") {
  constexpr int64_t kHour = 3'600'000;
  const ServerDatabase database;
  PostgresStore::Options options = leads_as("one");
  options.retention = {8 * kHour, 0};
  ServedSite served(lead(database, options), one_pool(2, 4));
  served.begin();
  served.flip_to_and_fro(200);
  INFO(served.store->compaction_error());
  CHECK(served.store->compaction_error().empty());
  const auto read = reader(database.url());
  CHECK(read->first_event().value() > 1);
  CHECK(read->bases()->size() > 3);
  CHECK(state_digest(load(*read)) == state_digest(served.site.state));
  require_whole(*read);
  const auto gone = state_at(*read, Instant{1'000'001});
  REQUIRE_FALSE(gone.has_value());
  CHECK(gone.error().message.find("history goes back to") != std::string::npos);
}

TEST_CASE("a history on a server below its size is kept small, one base after the other") {
  const ServerDatabase database;
  PostgresStore::Options options = leads_as("one");
  options.retention = {0, 256 << 10};
  ServedSite served(lead(database, options), one_pool(2, 4));
  served.batch = 50;
  served.begin();
  served.flip_to_and_fro(600);
  CHECK(database.number("SELECT sum(length(body)) FROM log") < 256 << 10);
  CHECK(reader(database.url())->first_event().value() > 1);
  require_whole(*reader(database.url()));
}

TEST_CASE("a copy made from a server is a file that a broker can go on with") {
  const TempDir dir;
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  served.flip_to_and_fro(4);
  auto file = BackupFile::create(dir.file("copy.db"));
  REQUIRE(file.has_value());
  while (!file->is_complete()) {
    const auto page = backup_page(served.store->log(), file->place(), 4096);
    REQUIRE(page.has_value());
    REQUIRE(file->add(*page));
  }
  REQUIRE(file->finish());
  CHECK(state_digest(load(*reader(dir.file("copy.db")))) == state_digest(served.site.state));
  require_whole(*reader(dir.file("copy.db")));
}

TEST_CASE("questions of the past are answered from a server by its name") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  served.flip_to_and_fro(1);
  Request leases;
  leases.command = "leases";
  leases.row = find_request("leases");
  REQUIRE(leases.row != nullptr);
  const auto answer = look_up(database.url(), leases);
  INFO((answer ? "" : describe(answer.error())));
  REQUIRE(answer.has_value());
  CHECK(answer->dump().find("pool:west") != std::string::npos);
}

TEST_CASE("the log on a server is not changed, and shortened by retention alone") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  CHECK_THROWS(database.sql("UPDATE log SET time_ms = 0"));
  CHECK_THROWS(database.sql("DELETE FROM log"));
}

TEST_CASE("a hash that is another, a row that is missing: told on a server as in a file") {
  const ServerDatabase database;
  {
    ServedSite served(lead(database), one_pool(2, 4));
    served.begin();
    served.flip_to_and_fro(2);
  }
  database.sql("ALTER TABLE log DISABLE TRIGGER ALL");
  SECTION("another body") {
    database.sql(
        "UPDATE log SET body = set_byte(body, 20, (get_byte(body, 20) + 1) % 256) WHERE batch = 5");
  }
  SECTION("a row less") {
    database.sql("DELETE FROM log WHERE batch = 5");
  }
  const auto read = reader(database.url());
  const auto state = load_state(*read);
  REQUIRE_FALSE(state.has_value());
  CHECK(state.error().code == ErrorCode::corrupt);
  CHECK_FALSE(verify(*read)->ok());
}

TEST_CASE("who follows a log on a server is told when it has lost its end meanwhile") {
  // A pooler may go on to another server without a word: the log was called damaged much later.
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  served.flip_to_and_fro(2);
  const auto read = reader(database.url());
  Result<FollowedLog> followed = FollowedLog::begin(*read);
  REQUIRE(followed.has_value());
  REQUIRE(followed->apply_until());
  followed->go_on();
  CHECK_FALSE(followed->read().value());
  database.sql("ALTER TABLE log DISABLE TRIGGER ALL");
  SECTION("it ends before") {
    database.sql("DELETE FROM log WHERE batch > (SELECT max(batch) - 2 FROM log)");
  }
  SECTION("another row is in the last one's place") {
    database.sql(
        "UPDATE log SET hash = decode(repeat('ab', 32), 'hex') "
        "WHERE batch = (SELECT max(batch) FROM log)");
  }
  SECTION("it is empty") {
    database.sql("DELETE FROM log");
  }
  followed->go_on();
  const Result<bool> more = followed->read();
  REQUIRE_FALSE(more.has_value());
  CHECK(more.error().message.find("the log was replaced, or is damaged: event ") == 0);
}

TEST_CASE("of a server it is told who led there last, where brokers are asked for") {
  const ServerDatabase database;
  lead(database).reset();
  Request brokers;
  brokers.command = "brokers";
  brokers.row = find_request("brokers");
  CHECK(look_up(database.url(), brokers).error().message.find("the last that led") ==
        std::string::npos);
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  CHECK(look_up(database.url(), brokers)
            .error()
            .message.find("the last that led was one, at tcp://one:7411, in epoch 1") !=
        std::string::npos);
}

TEST_CASE("who cannot reach a server, and who finds no broker's tables, is told so") {
  const auto nobody = open_log("postgresql://leasehold:secret@127.0.0.1:1/none");
  REQUIRE_FALSE(nobody.has_value());
  CHECK(nobody.error().message.find("cannot be reached") != std::string::npos);
  CHECK(nobody.error().message.find("secret") == std::string::npos);
  const ServerDatabase database;
  const auto empty = open_log(database.url());
  REQUIRE_FALSE(empty.has_value());
  CHECK(empty.error().code == ErrorCode::version);
  CHECK(empty.error().message.find("no broker's") != std::string::npos);
}

TEST_CASE("a newer schema on a server is refused by broker and reader") {
  const ServerDatabase database;
  lead(database).reset();
  database.sql("INSERT INTO leasehold_schema VALUES (99, 'later')");
  CHECK(refusal(database).code == ErrorCode::version);
  CHECK(open_log(database.url()).error().code == ErrorCode::version);
}
