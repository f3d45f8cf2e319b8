// Brokers report themselves beside the leader's row; these tests use a real server.
#include "broker/store/postgres/roll.hpp"

#include "common/time/clock.hpp"
#include "tests/unit/postgres/server.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using ServedSite = KeptSite<PostgresStore>;

std::unique_ptr<PostgresSession> session_on(const ServerDatabase& database) {
  return PostgresSession::open(database.url(), PostgresSession::Use::to_write).value();
}

}  // namespace

TEST_CASE(
    "brokers tell what they hear without a leadership, and the leader's row stays as it was") {
  const ServerDatabase database;
  ServedSite served(lead(database), one_pool(2, 4));
  served.begin();
  const auto row = [&] { return database.number("SELECT renewal FROM leader"); };
  const int64_t before = row();
  const auto session = session_on(database);
  const RollRow hub_a{"hub-a", "tcp://a:7441", true, true, 0, {}};
  RollRow hub_b{"hub-b", "tcp://b:7441", false, false, 3, {"east", "n\xc3\xb6rd west"}};
  REQUIRE(write_roll(*session, hub_b));
  REQUIRE(write_roll(*session, hub_a));
  const ReadRoll first = read_roll(*session).value();
  REQUIRE(first.all.size() == 2);
  CHECK(first.all[0].row == hub_a);
  CHECK(first.all[1].row == hub_b);
  CHECK(first.ahead_of_server.surely_ms() == 0);
  hub_b.agents = 1;
  REQUIRE(write_roll(*session, hub_b));
  const ReadRoll second = read_roll(*session).value();
  CHECK(second.all[0].version == first.all[0].version);
  CHECK(second.all[1].version != first.all[1].version);
  CHECK(second.all[1].row == hub_b);
  CHECK(row() == before);
  CHECK(served.store->renew());
}

TEST_CASE("a clock is compared with the server's by no more than the answer tells") {
  CHECK(ahead_of_server(1'000, 900, 1'010).low_ms == 99);
  CHECK(ahead_of_server(1'000, 900, 1'010).high_ms == 111);
  CHECK(ahead_of_server(1'000, 31'000, 91'000).surely_ms() == 0);  // it stood still meanwhile
}
