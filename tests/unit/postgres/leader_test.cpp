// These tests show who may write on a server: broker/store/postgres/README.md, by rule number.
#include "broker/store/postgres/leader.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "common/time/clock.hpp"
#include "tests/support/last_bound.hpp"
#include "tests/unit/postgres/server.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using ServedSite = KeptSite<PostgresStore>;

LeaderRow leader_row(int64_t renewal) {
  LeaderRow leader;
  leader.epoch = 3;
  leader.incarnation = 77;
  leader.ttl_ms = 5'000;
  leader.renewal = renewal;
  leader.server = leader.present = "Monday";
  leader.as_written = true;
  return leader;
}

LeaderWatch::Self by(int64_t own_incarnation) {
  return {"me", own_incarnation};
}

/// Opens a session whose limit a busy machine may pass before it is `ready`: then another one.
template <class Ready>
std::unique_ptr<PostgresSession> opened(const ServerDatabase& database,
                                        std::chrono::milliseconds limit, const Ready& ready) {
  for (const int64_t until_ms = boottime_ms() + kLastBoundMs; boottime_ms() < until_ms;) {
    auto session = PostgresSession::open(database.url(), PostgresSession::Use::to_write, limit);
    if (session && ready(**session)) return *std::move(session);
  }
  FAIL("no session is ready within its limit");
  return nullptr;
}

}  // namespace

TEST_CASE("rule 5: nobody takes over before the row was the same for its ttl and a margin") {
  LeaderWatch watch;
  CHECK_FALSE(watch.may_take_over(by(0), 1'000'000));
  watch.saw(leader_row(1), 1'000);
  CHECK_FALSE(watch.may_take_over(by(0), 6'099));
  CHECK(watch.may_take_over(by(0), 6'100));
  SECTION("any difference begins it again") {
    LeaderRow other = leader_row(1);
    SECTION("renewed") {
      other.renewal = 2;
    }
    SECTION("a smaller number, of a lost tail") {
      other.renewal = 0;
    }
    SECTION("epoch") {
      other.epoch = 4;
    }
    SECTION("incarnation") {
      other.incarnation = 78;
    }
    SECTION("server") {
      other.server = "Tuesday";
    }
    SECTION("who answers: one with a lost tail shows what was so before") {
      other.present = "Tuesday";
    }
    watch.saw(other, 5'000);
    CHECK_FALSE(watch.may_take_over(by(0), 10'099));
    CHECK(watch.may_take_over(by(0), 10'100));
    CHECK(watch.is_renewed());
  }
  SECTION("the same again does not") {
    watch.saw(leader_row(1), 6'000);
    CHECK(watch.may_take_over(by(0), 6'100));
    CHECK_FALSE(watch.is_renewed());
  }
}

TEST_CASE("rule 5: the margin is one in a hundred, and a tenth of a second at the least") {
  CHECK(leader_margin_ms(2'000) == 100);
  CHECK(leader_margin_ms(60'000) == 600);
}

TEST_CASE("rule 15: nothing is lost only by a row of the server that answers, which agents know") {
  LeaderRow watched = leader_row(1);  // epoch 3, incarnation 77
  EpochReported reported;
  CHECK(loses_nothing(watched, reported));
  struct Reported {
    int64_t epoch, incarnation;
    bool known;
  };
  for (const Reported& one : {Reported{2, 5, true}, Reported{3, 77, true}, Reported{3, 78, false},
                              Reported{4, 5, false}}) {
    reported = {};
    reported.saw(one.epoch, one.incarnation);
    CHECK(loses_nothing(watched, reported) == one.known);
  }
  reported = {};
  reported.saw(3, 78);
  reported.saw(3, 77);  // another one of that number was seen, too
  CHECK_FALSE(loses_nothing(watched, reported));
  reported = {};
  reported.saw(4, 5);
  reported.saw(3, 77);  // what is lower is no news
  CHECK_FALSE(loses_nothing(watched, reported));
  reported = {};
  LeaderRow fresh = watched;
  fresh.epoch = fresh.incarnation = 0;  // of a new database
  CHECK_FALSE(loses_nothing(fresh, reported));
  LeaderRow restored = watched;
  restored.as_written = false;
  CHECK_FALSE(loses_nothing(restored, reported));
  watched.present = "Tuesday";
  CHECK_FALSE(loses_nothing(watched, reported));
}

TEST_CASE("rule 7: at once only from a row that is stepped down or one's own, of this server") {
  LeaderWatch watch;
  LeaderRow seen = leader_row(1);
  SECTION("one's own") {
    watch.saw(seen, 1'000);
    CHECK(watch.may_take_over(by(77), 1'000));
    CHECK_FALSE(watch.may_take_over(by(78), 1'000));
  }
  SECTION("stepped down") {
    seen.stepped_down = true;
    watch.saw(seen, 1'000);
    CHECK(watch.may_take_over(by(0), 1'000));
  }
  SECTION("stepped down, and another was named") {
    seen.stepped_down = true;
    seen.successor = "you";
    watch.saw(seen, 1'000);
    CHECK_FALSE(watch.may_take_over(by(0), 1'000));
    CHECK(watch.may_take_over(by(0), 6'100));
    CHECK(watch.may_take_over({"you"}, 1'000));
  }
  SECTION("who stepped down by an order lets others go first") {
    seen.stepped_down = true;
    watch.saw(seen, 1'000);
    CHECK_FALSE(watch.may_take_over({"me", 77, true}, 1'000));
    CHECK(watch.may_take_over({"me", 77, true}, 6'100));
  }
  SECTION("of a server that is no more") {
    seen.stepped_down = true;
    seen.present = "Tuesday";
    watch.saw(seen, 1'000);
    CHECK_FALSE(watch.may_take_over(by(77), 1'000));
    CHECK(watch.may_take_over(by(77), 6'100));
  }
}

TEST_CASE("rule 1: a commit of who no longer leads changes nothing, and is its last") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  const int64_t rows = database.number("SELECT count(*) FROM log");
  served.batch = 1'000;
  served.busy("east", 4);
  SECTION("another epoch") {
    database.sql("UPDATE leader SET epoch = epoch + 1");
  }
  SECTION("another incarnation") {
    database.sql("UPDATE leader SET incarnation = 1");
  }
  SECTION("another end of the log") {
    database.sql("UPDATE leader SET log_end = log_end - 1");
  }
  SECTION("another hash") {
    database.sql("UPDATE leader SET log_hash = '\\x00'");
  }
  SECTION("another server") {
    database.sql("UPDATE leader SET server = 'before'");
  }
  const Status done = served.store->commit(served.site.state);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().message.find("another broker leads") != std::string::npos);
  CHECK(database.number("SELECT count(*) FROM log") == rows);
  CHECK_FALSE(served.store->commit(served.site.state).has_value());
  CHECK_FALSE(served.store->renew().has_value());
  CHECK(database.number("SELECT count(*) FROM log") == rows);
}

TEST_CASE("rule 1: a role whose commits do not wait for the disk is refused", "[session]") {
  const ServerDatabase database;
  lead(database).reset();
  database.sql("ALTER DATABASE " + database.name() + " SET synchronous_commit = off");
  CHECK(refusal(database).message.find("synchronous_commit") != std::string::npos);
}

TEST_CASE("rule 2: every transaction that changes something raises renewal") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  const auto renewal = [&] { return database.number("SELECT renewal FROM leader"); };
  served.begin();
  int64_t before = renewal();
  served.flip_to_and_fro(1);
  CHECK(renewal() > before);
  before = renewal();
  REQUIRE(served.store->renew());
  CHECK(renewal() == before + 1);
  REQUIRE(served.store->step_down(""));
  CHECK(renewal() == before + 2);
}

TEST_CASE("rule 4: a session that is lost ends the leadership", "[session]") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  database.cut();
  served.batch = 1'000;
  served.busy("east", 4);
  CHECK_FALSE(served.store->commit(served.site.state).has_value());
  CHECK_FALSE(served.store->renew().has_value());
}

TEST_CASE("a server that answers nothing is taken as gone, and rule 4 follows") {
  // libpq waited for as long as the server stood still, and the loop with it.
  const ServerDatabase database;
  lead(database).reset();
  constexpr std::chrono::milliseconds kShort(2'000);
  const auto answers = [](PostgresSession& session) { return session.run("SELECT 1").has_value(); };
  SECTION("a statement") {
    const auto session = opened(database, kShort, answers);
    const auto slept = session->run("SELECT pg_sleep(600)");
    REQUIRE_FALSE(slept.has_value());
    CHECK(slept.error().message.find("has not answered for 2000 ms") != std::string::npos);
    CHECK_FALSE(session->run("SELECT 1").has_value());
  }
  SECTION("a transaction, whose end is unknown") {
    const auto session = opened(database, kShort, [](PostgresSession& one) {
      return one.begin(PostgresSession::Sees::newest).has_value();
    });
    CHECK_FALSE(session->run("SELECT pg_sleep(600)").has_value());
    session->roll_back();
    CHECK_FALSE(session->begin(PostgresSession::Sees::newest).has_value());
  }
  SECTION("not what may take as long as it takes") {
    const auto session = opened(database, kShort, answers);
    const PostgresSession::Unhurried unhurried(*session);
    CHECK(session->run("SELECT pg_sleep(3)"));
  }
  SECTION("not where nobody waits for an answer") {
    const auto session = opened(database, kShort, answers);
    std::this_thread::sleep_for(3 * kShort / 2);
    const int64_t asked_ms = boottime_ms();
    CHECK((answers(*session) || boottime_ms() - asked_ms >= kShort.count()));
  }
  SECTION("nor an answer that is long but still coming in") {
    // 240 rows, one each 50 ms, of more than the server holds back.
    const auto session = opened(database, std::chrono::milliseconds(10'000), answers);
    const auto rows =
        session->run("SELECT repeat('x', 100000), pg_sleep(0.05) FROM generate_series(1, 240)");
    CHECK(rows.has_value());
  }
}

TEST_CASE("rules 1, 4 and 6 where the role's transactions are SERIALIZABLE") {
  const ServerDatabase database;
  lead(database).reset();
  database.sql("ALTER DATABASE " + database.name() +
               " SET default_transaction_isolation = 'serializable'");
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  served.flip_to_and_fro(2);
  ServedSite next(lead(database, leads_as("two")), one_pool(2, 4));
  next.start();
  const int64_t rows = database.number("SELECT count(*) FROM log");
  served.batch = 1'000;
  served.busy("east", 4);
  CHECK_FALSE(served.store->commit(served.site.state).has_value());
  CHECK(database.number("SELECT count(*) FROM log") == rows);
}

TEST_CASE("rule 5: while a leader renews, another is refused by its name") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  std::atomic<bool> ended = false;
  std::thread renewing([&] {
    while (!ended && served.store->renew()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  const Error refused = refusal(database);
  ended = true;
  renewing.join();
  CHECK(refused.message.find("another broker leads") != std::string::npos);
  CHECK(refused.message.find("one at tcp://one:7411") != std::string::npos);
  CHECK(served.store->renew());
}

TEST_CASE("rule 5: from one that renews no more another takes over, and the first is deposed") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  ServedSite next(lead(database, leads_as("two")), one_pool(2, 4));
  next.start();
  CHECK(next.store->leadership().epoch == served.store->leadership().epoch + 1);
  CHECK_FALSE(served.store->renew().has_value());
  CHECK(database.number("SELECT count(*) FROM leader WHERE holder = 'two'") == 1);
}

TEST_CASE("rule 6: a take-over that was not committed is none") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  REQUIRE(served.store->step_down(""));
  lead(database, leads_as("two")).reset();
  CHECK(database.number("SELECT epoch FROM leader") == 1);
  CHECK(database.number("SELECT count(*) FROM leader WHERE stepped_down") == 1);
}

TEST_CASE("rule 6: of two that take over at once one does, and the other reads what it wrote") {
  const ServerDatabase database;
  {
    ServedSite served(lead(database), one_pool(2, 4));
    served.begin();
    REQUIRE(served.store->step_down(""));
  }
  auto first = lead(database, leads_as("two"));
  std::optional<Error> refused;
  std::thread second([&] {
    const auto store = lead_in_turn(database.url(), leads_as("three"));
    if (!store) refused = store.error();
  });
  // It waits for the row, which the first holds.
  while (database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") ==
         0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ServedSite served(std::move(first), one_pool(2, 4));
  served.start();
  second.join();
  REQUIRE(refused.has_value());
  CHECK(refused->message.find("another broker took over first") != std::string::npos);
}

TEST_CASE("rule 7: what was watched on one server is not taken over on another") {
  const ServerDatabase database;
  lead(database).reset();
  auto session = PostgresSession::open(database.url(), PostgresSession::Use::to_write);
  REQUIRE(session.has_value());
  LeaderRow watched = read_leader(**session).value();
  REQUIRE((*session)->begin(PostgresSession::Sees::newest));
  watched.present = "Tuesday";
  CHECK_FALSE(take_over(**session, watched, 0, leads_as("two").facts).has_value());
}

TEST_CASE("brokers that start at once on a new database all find its tables made") {
  // One failed with: relation "leasehold_schema" already exists.
  for (int round = 0; round < 5; ++round) {
    const ServerDatabase database;
    std::vector<Status> made(6);
    std::vector<std::thread> starting;
    for (Status& one : made) {
      starting.emplace_back([&one, url = database.url()] {
        auto session = PostgresSession::open(url, PostgresSession::Use::to_write);
        one = session ? make_schema(**session) : tl::unexpected(session.error());
      });
    }
    for (std::thread& each : starting) each.join();
    for (const Status& one : made) {
      INFO((one ? "" : describe(one.error())));
      CHECK(one.has_value());
    }
  }
}

TEST_CASE("rule 13: the epoch is above every one that was seen, here or at agents") {
  const ServerDatabase database;
  PostgresStore::Options options = leads_as("one");
  options.seen->epoch = 41;
  CHECK(lead(database, options)->leadership().epoch == 42);
}
