// A log that became another one under the same name and on the same connection, as behind a pooler
// that was switched to a server without the last commits: followers of the lost log begin again.
#include "broker/follow/followed_state.hpp"
#include "tests/support/state_digest.hpp"
#include "tests/unit/follow/followed.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Makes a log with `same` flips that every log has, followed by `flips` of its own.
void play(const std::string& path, int same, int flips, int32_t used) {
  RecordedSite recorded(path, one_pool(2, 4));
  recorded.begin();
  recorded.flip_to_and_fro(same);
  recorded.busy("east", used);
  recorded.flip_to_and_fro(flips);
  recorded.commit();
}

/// Copies the other log's rows, without the triggers that guard the log; an open reader does not
/// notice.
void become(const std::string& log, const std::string& other) {
  SQLite::Database db(log, SQLite::OPEN_READWRITE, 10'000);
  SQLite::Statement triggers(
      db, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('log', 'base')");
  std::vector<std::string> names;
  while (triggers.executeStep()) names.push_back(triggers.getColumn(0).getString());
  triggers.reset();
  for (const std::string& name : names) db.exec("DROP TRIGGER " + name);
  db.exec("ATTACH '" + other + "' AS other");
  db.exec(
      "BEGIN; DELETE FROM log; DELETE FROM base; INSERT INTO log SELECT * FROM other.log; "
      "INSERT INTO base SELECT * FROM other.base; COMMIT");
}

struct Ends {
  int64_t last_event = 0;
  Hash digest{};
};
Ends ends_of(const std::string& path) {
  FollowedState followed(path);
  REQUIRE(followed.catch_up());
  return {followed.last_event(), state_digest(followed.state())};
}

}  // namespace

TEST_CASE("a log that has lost its end, or has another one, is followed anew") {
  // Answers came from the lost history until the new log was longer, and then an error said that
  // the log is damaged.
  Followed site;
  const std::string other = site.dir.file("other.db");
  play(site.log, 2, 6, 3);
  int flips = 0;
  SECTION("it ends before") {
    flips = 1;
  }
  SECTION("it ends as late or later") {
    flips = 12;
  }
  play(other, 2, flips, 2);
  FollowedState followed(site.log);
  REQUIRE(followed.catch_up());
  site.make();
  const Ends lost = ends_of(site.log);
  const Ends now = ends_of(other);
  REQUIRE(now.last_event != lost.last_event);
  become(site.log, other);
  const Status done = followed.catch_up();
  INFO((done ? "" : describe(done.error())));
  REQUIRE(done);
  CHECK(followed.last_event() == now.last_event);
  CHECK(state_digest(followed.state()) == now.digest);
  CHECK(site.make().last_event == now.last_event);
  require_same(site.file, site.log, followed.state());
}

TEST_CASE("a log whose last row alone is another is followed anew") {
  Followed site;
  const std::string other = site.dir.file("other.db");
  play(site.log, 2, 0, 3);
  play(other, 2, 0, 2);
  const Ends now = ends_of(other);
  REQUIRE(now.last_event == ends_of(site.log).last_event);
  FollowedState followed(site.log);
  REQUIRE(followed.catch_up());
  become(site.log, other);
  REQUIRE(followed.catch_up());
  CHECK(state_digest(followed.state()) == now.digest);
}

TEST_CASE("a damaged log is told as such, however often it is read anew") {
  Followed site;
  play(site.log, 2, 2, 3);
  FollowedState followed(site.log);
  REQUIRE(followed.catch_up());
  become(site.log, site.log);  // removes its rules
  SQLite::Database(site.log, SQLite::OPEN_READWRITE).exec("DELETE FROM log WHERE batch IN (5, 6)");
  SQLite::Database(site.log, SQLite::OPEN_READWRITE)
      .exec("UPDATE log SET hash = zeroblob(32) WHERE batch = (SELECT max(batch) FROM log)");
  const Status done = followed.catch_up();
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == ErrorCode::corrupt);
}

TEST_CASE("a log of which all rows went is followed from the base that is left") {
  Followed site;
  RecordedSite recorded(site.log, one_pool(2, 4), OpenMode::broker, StoreOptions{{0, 16}, {}, {}});
  recorded.begin();
  recorded.batch = 1'000'000;  // one commit each time
  FollowedState followed(site.log);
  const auto rows = [&] {
    return recorded.store->database().execAndGet("SELECT count(*) FROM log").getInt64();
  };
  for (int i = 0; i < 500 && rows() > 0; ++i) {
    recorded.flip_to_and_fro(2);
    REQUIRE(followed.catch_up());
  }
  REQUIRE(rows() == 0);
  REQUIRE(followed.catch_up());
  CHECK(followed.last_event() == recorded.store->last_event());
  recorded.flip_to_and_fro(2);
  REQUIRE(followed.catch_up());
  CHECK(state_digest(followed.state()) == state_digest(recorded.site.state));
}
