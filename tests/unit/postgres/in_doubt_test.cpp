// A commit of which nobody knows what it became: on a server it may be there or not.
#include "broker/replay/verify.hpp"
#include "tests/support/state_digest.hpp"
#include "tests/unit/postgres/cut_line.hpp"
#include "tests/unit/postgres/server.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using ServedSite = KeptSite<PostgresStore>;

std::unique_ptr<PostgresStore> lead_by(const std::string& url, int64_t own_incarnation = 0) {
  auto store = lead_in_turn(url, leads_as("one"), own_incarnation);
  INFO((store ? "" : describe(store.error())));
  REQUIRE(store.has_value());
  return std::move(*store);
}

}  // namespace

TEST_CASE("rule 4: a commit whose answer is lost is on the server, and its broker takes no more") {
  const ServerDatabase database;
  CutLine line(database.url());
  ServedSite served(lead_by(line.url()), one_pool(2, 4));
  served.begin();
  const int64_t rows = database.number("SELECT count(*) FROM log");
  served.batch = 1'000;
  served.busy("east", 4);
  line.lose_next_answer();
  REQUIRE_FALSE(served.store->commit(served.site.state).has_value());
  CHECK(database.number("SELECT count(*) FROM log") == rows + 1);
  CHECK_FALSE(served.store->commit(served.site.state).has_value());
  CHECK_FALSE(served.store->renew().has_value());
  const Hash forgotten = state_digest(served.site.state);
  const Leadership before = served.store->leadership();
  // Rule 7: its own row, of the same server: at once, as another leadership.
  served.store.reset();
  served.store = lead_by(line.url(), before.incarnation);
  CHECK(served.store->leadership().epoch == before.epoch + 1);
  CHECK(state_digest(load(*served.store)) == forgotten);
  served.start();
  served.connect();
  served.flip_to_and_fro(1);
  const auto whole = verify(*reader(database.url()));
  REQUIRE(whole.has_value());
  CHECK(whole->ok());
}

TEST_CASE(
    "rule 6: a take-over that is cut off before its end is none, and another follows at once") {
  const ServerDatabase database;
  CutLine line(database.url());
  ServedSite served(lead_by(line.url()), one_pool(2, 4));
  served.begin();
  REQUIRE(served.store->step_down(""));
  served.store.reset();
  served.store = lead_by(line.url());
  const Leadership lost = served.store->leadership();
  served.site.state = load(*served.store);
  served.batch = 1'000;
  served.site.step(BrokerStarted{7, false});
  line.lose_next_answer();
  REQUIRE_FALSE(served.store->commit(served.site.state).has_value());
  served.store.reset();
  served.store = lead_by(line.url(), lost.incarnation);
  CHECK(served.store->leadership().epoch == lost.epoch);
  served.start();
  served.connect();
  CHECK(verify(*reader(database.url()))->ok());
}
