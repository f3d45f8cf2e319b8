// Rule 15: what a broker keeps in a file of its own bears out, or not, that a database on a server
// still has all that was committed to it.
#include "broker/store/last_commit.hpp"

#include <catch2/catch.hpp>

#include "broker/store/postgres/candidate.hpp"
#include "tests/unit/postgres/server.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using ServedSite = KeptSite<PostgresStore>;

std::shared_ptr<LastCommit> last_commit_in(const TempDir& folder, const std::string& name) {
  auto file = LastCommitFile::open(folder.file(name));
  REQUIRE(file.has_value());
  return std::move(*file);
}

PostgresStore::Options keeps(const std::string& name, std::shared_ptr<LastCommit> last_commit) {
  PostgresStore::Options options = leads_as(name);
  options.last_commit = std::move(last_commit);
  return options;
}

/// A dump, and the same put back so that nothing in the database tells of it.
void dump(const ServerDatabase& database) {
  database.sql(
      "CREATE TABLE dumped_log AS SELECT * FROM log; "
      "CREATE TABLE dumped_leader AS SELECT * FROM leader");
}
void put_database_back(const ServerDatabase& database) {
  database.sql(
      "TRUNCATE log; INSERT INTO log SELECT * FROM dumped_log; "
      "TRUNCATE leader; INSERT INTO leader SELECT * FROM dumped_leader; "
      "UPDATE leader SET written_by = pg_current_xact_id(), stepped_down = true");
}

PostgresCandidate::Options standby(std::shared_ptr<LastCommit> last_commit) {
  PostgresCandidate::Options options;
  options.facts = leads_as("two").facts;
  options.last_commit = std::move(last_commit);
  return options;
}

}  // namespace

TEST_CASE("rule 15: a copy that looks as it was written is known by the own file of who led") {
  // Symptom: a dump that was put back within one leadership was taken as warm, and slots that a
  // silent agent's jobs used were given to another.
  const TempDir folder;
  const auto own = last_commit_in(folder, "one");
  const ServerDatabase database;
  ServedSite served(lead(database, keeps("one", own)), one_pool(2, 4));
  served.begin();
  dump(database);
  const std::optional<KnownCommit> dumped = own->known();
  served.flip_to_and_fro(1);
  REQUIRE(own->known().has_value());
  CHECK(own->known()->last_event == served.store->last_event());
  REQUIRE(served.store->step_down(""));
  bool nothing_lost = false;
  SECTION("nothing was put back") {
    nothing_lost = true;
  }
  SECTION("an earlier copy was") {
    put_database_back(database);
  }
  SECTION("the broker has no file") {
    CHECK_FALSE(lead(database, keeps("one", nullptr))->loses_nothing());
    nothing_lost = true;  // that take-over was not committed: the row is as its file knows it
  }
  SECTION("its file knows of another leadership") {
    KnownCommit other = *own->known();
    ++other.incarnation;
    REQUIRE(own->keep(other));
  }
  SECTION("its file knows of a commit that only followed, in another session") {
    KnownCommit followed = *own->known();
    followed.own = false;
    REQUIRE(own->keep(followed));
  }
  SECTION("its file knows of a commit that the log has, of a leader that went on") {
    REQUIRE(own->keep(*dumped));
    nothing_lost = true;  // none of its own was lost
  }
  const auto next = lead(database, keeps("one", own));
  CHECK(next->loses_nothing() == nothing_lost);
}

TEST_CASE("rule 15: only a renewal, in one session, tells that a leader is at work") {
  LeaderRow row;
  row.epoch = 3;
  row.incarnation = 77;
  row.renewal = 5;
  row.server = row.present = "Monday";
  row.as_written = true;
  LeaderWatch watch;
  watch.saw(row, 1'000);
  CHECK_FALSE(watch.row().seen_led);  // a row that a leader left looks like this, too
  bool led = false;
  LeaderRow next = row;
  SECTION("the same again") {}
  SECTION("renewed") {
    ++next.renewal;
    led = true;
  }
  SECTION("a smaller number, of a copy") {
    --next.renewal;
  }
  SECTION("another has taken over") {
    ++next.renewal;
    ++next.epoch;
    next.incarnation = 78;
  }
  SECTION("a hand or a restore wrote it") {
    ++next.renewal;
    next.as_written = false;
  }
  SECTION("another server answers") {
    ++next.renewal;
    next.present = "Tuesday";
  }
  watch.saw(next, 2'000);
  CHECK(watch.row().seen_led == led);
  watch.saw(next, 3'000);
  CHECK(watch.row().seen_led == led);
  next.as_written = false;
  watch.saw(next, 4'000);
  CHECK_FALSE(watch.row().seen_led);
}

TEST_CASE("rule 15: who stands by knows of what it saw a leader commit, and of nothing before") {
  const TempDir folder;
  const auto own = last_commit_in(folder, "two");
  const ServerDatabase database;
  ServedSite served(lead(database, keeps("one", last_commit_in(folder, "one"))), one_pool(2, 4));
  served.begin();
  auto candidate = PostgresCandidate::open(database.url(), standby(own));
  REQUIRE(candidate.has_value());
  REQUIRE((*candidate)->look());
  CHECK_FALSE(own->known());  // nobody is known to lead there
  bool seen = false;
  SECTION("the leader is seen to go on") {
    served.flip_to_and_fro(1);
    REQUIRE((*candidate)->look());
    REQUIRE(own->known().has_value());
    CHECK(own->known()->last_event == served.store->last_event());
    CHECK_FALSE(own->known()->own);
    REQUIRE(served.store->step_down(""));
    seen = true;
  }
  SECTION("it only finds what a copy or a hand left") {
    database.sql("UPDATE leader SET renewal = renewal + 1, stepped_down = true");
  }
  REQUIRE((*candidate)->look());
  CHECK(own->known().has_value() == seen);
  auto store = (*candidate)->take_over();
  REQUIRE(store.has_value());
  CHECK((*store)->loses_nothing() == seen);
}

TEST_CASE("rule 15: a commit whose record a leader cannot keep is its last") {
  class Full : public LastCommit {
   public:
    const std::optional<KnownCommit>& known() const override { return known_; }
    Status keep(const KnownCommit&) override { return usable(); }
    Status usable() override {
      return full ? Status(fail(ErrorCode::io, "cannot write the file")) : Status{};
    }
    bool full = false;

   private:
    std::optional<KnownCommit> known_;
  };
  const auto file = std::make_shared<Full>();
  const ServerDatabase database;
  ServedSite served(lead(database, keeps("one", file)), one_pool(2, 4));
  served.begin();
  file->full = true;
  const int64_t epoch = database.number("SELECT epoch FROM leader");
  CHECK_FALSE(served.store->leads_until_ms() == INT64_MIN);
  served.batch = 1'000;
  served.busy("east", 3);
  CHECK_FALSE(served.store->commit(served.site.state));
  CHECK(served.store->leads_until_ms() == INT64_MIN);
  // Nor does it take the row from others, who have room.
  auto candidate = PostgresCandidate::open(database.url(), standby(file));
  REQUIRE(candidate.has_value());
  REQUIRE((*candidate)->look());
  const auto taken = (*candidate)->take_over();
  REQUIRE_FALSE(taken.has_value());
  CHECK(taken.error().code == ErrorCode::refused);
  CHECK(taken.error().message == "cannot write the file");
  CHECK(database.number("SELECT epoch FROM leader") == epoch);
}
