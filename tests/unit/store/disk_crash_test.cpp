// The power fails after each change of the disk, or the process dies, or the disk fills up, during
// a migration, compaction or anything else: the next process finds what was committed.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <array>
#include <catch2/catch.hpp>
#include <fstream>

#include "broker/store/sqlite/migrations.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/state_digest.hpp"
#include "tests/unit/store/played_batches.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

const PlayedLife& the_life() {
  static const PlayedLife life = record_life(24);
  return life;
}

constexpr std::array kCrashes{DiskCrash::keep_written, DiskCrash::lose_unsynced, DiskCrash::torn,
                              DiskCrash::scattered};

/// A broker's database of an older schema, with leases and history, as files on a disk.
struct OlderDatabase {
  OlderDatabase() {
    RecordedSite recorded(path);
    recorded.begin();
    recorded.flip_to_and_fro(2);
    digest = state_digest(recorded.site.state);
    const auto known = built_in_migrations();
    steps.assign(known.begin(), known.end());
    steps.push_back({steps.back().version + 1, "later",
                     "CREATE TABLE site AS SELECT 'x' AS name;"
                     "CREATE TABLE later (x INTEGER PRIMARY KEY, y BLOB);"
                     "INSERT INTO later SELECT first_event, zeroblob(200) FROM log"});
    recorded.store.reset();
    files = disk.snapshot();
  }
  /// Requires that a process with the newer schema finds all `steps` applied, or none.
  void require_all_or_nothing() {
    auto store = SqliteStore::open(path, OpenMode::broker, {});
    if (!store) {  // newer than the old program knows: then all of it is
      REQUIRE(store.error().code == ErrorCode::version);
    } else {
      REQUIRE(state_digest(load(**store)) == digest);
      REQUIRE_FALSE((*store)->database().tableExists("later"));
      store->reset();
    }
    auto migrated = open_store(path, OpenMode::broker, {{}, {}, steps});
    REQUIRE(state_digest(load(*migrated)) == digest);
    SQLite::Database& db = migrated->database();
    REQUIRE(db.execAndGet("SELECT min(name) FROM site").getString() == "x");
    REQUIRE(db.execAndGet("SELECT count(*) FROM later").getInt() > 10);
    REQUIRE(db.execAndGet("PRAGMA integrity_check").getString() == "ok");
  }

  TempDir dir;
  SimulatedDisk disk{dir.file("")};
  std::string path = dir.file("broker.db");
  DiskSnapshot files;
  Hash digest{};
  std::vector<Migration> steps;
};

}  // namespace

TEST_CASE("whenever the power goes or the process dies a first start is made whole by the next") {
  const auto how = GENERATE(from_range(kCrashes));
  const TempDir dir;
  for (int64_t changes = 0;; ++changes) {
    INFO("after " << changes << " changes, crash " << static_cast<int>(how));
    SimulatedDisk disk(dir.file(""), static_cast<uint64_t>(changes));
    LifePlayer player(the_life(), disk, dir.file("broker.db"));
    disk.halt_after(changes);
    const bool begun = player.open_and_compare();
    player.end(how);
    REQUIRE(player.open_and_compare());
    if (begun) {
      CHECK(changes > 15);
      break;
    }
  }
}

TEST_CASE("whenever the power goes or the process dies all that was committed is there") {
  const auto how = GENERATE(from_range(kCrashes));
  const TempDir dir;
  for (int64_t changes = 0;; ++changes) {
    INFO("after " << changes << " changes, crash " << static_cast<int>(how));
    SimulatedDisk disk(dir.file(""), static_cast<uint64_t>(changes));
    disk.restore(the_life().begun);
    std::filesystem::remove(dir.file("broker.db.commit"));
    LifePlayer player(the_life(), disk, dir.file("broker.db"));
    disk.halt_after(changes);
    const bool to_the_end = player.play_until_failure();
    player.end(how);
    REQUIRE(player.open_and_compare());
    if (to_the_end) {
      CHECK(changes > 300);
      break;
    }
    if (changes % 4 != 0) continue;
    player.play();
    player.require_whole();
  }
}

TEST_CASE("a disk that fills up takes nothing half, and takes on again when it is freed") {
  const TempDir dir;
  SimulatedDisk disk(dir.file(""));
  int times = 0;
  for (int64_t capacity = 4096; capacity < 600'000; capacity += 7001) {
    INFO("capacity " << capacity);
    disk.remove_all();
    std::filesystem::remove(dir.file("broker.db.commit"));
    disk.set_capacity(capacity);
    LifePlayer player(the_life(), disk, dir.file("broker.db"));
    player.after_failure = [&] {
      if (player.failures() >= 3) disk.set_capacity(0);
    };
    player.play();
    times += player.failures() > 0 ? 1 : 0;
    player.end(DiskCrash::lose_unsynced);
    player.require_whole();
  }
  CHECK(times > 40);
}

TEST_CASE("every kind of failure that lasts is an error each time, until it is over") {
  const DiskCall call = GENERATE(DiskCall::write, DiskCall::sync, DiskCall::open, DiskCall::lock);
  const TempDir dir;
  SimulatedDisk disk(dir.file(""));
  for (int64_t n = 1; n < 400; n += 13) {
    INFO(name_of(call) << " from " << n << " on");
    disk.remove_all();
    std::filesystem::remove(dir.file("broker.db.commit"));
    disk.clear_faults();
    disk.fail({call, n, SQLITE_IOERR, true, DiskDone::nothing, ""});
    LifePlayer player(the_life(), disk, dir.file("broker.db"));
    player.after_failure = [&] {
      if (player.failures() == 4) disk.clear_faults();
    };
    player.play();
    CHECK((player.failures() == 0 || player.failures() == 4));
    disk.clear_faults();
    player.require_whole();
  }
}

TEST_CASE("a migration that is cut off at any change is made whole by the next start, or was") {
  const auto how = GENERATE(from_range(kCrashes));
  OlderDatabase older;
  for (int64_t changes = 0;; ++changes) {
    INFO("after " << changes << " changes, crash " << static_cast<int>(how));
    older.disk.restore(older.files);
    older.disk.halt_after(changes);
    const bool opened =
        SqliteStore::open(older.path, OpenMode::broker, {{}, {}, older.steps}).has_value();
    const bool whole = opened && !older.disk.halted();
    older.disk.crash(how);
    older.require_all_or_nothing();
    if (whole) {
      CHECK(changes > 15);
      break;
    }
  }
}

TEST_CASE("a migration whose n-th write or sync fails is an error and leaves the older schema") {
  const DiskCall call = GENERATE(DiskCall::write, DiskCall::sync, DiskCall::read);
  OlderDatabase older;
  for (int64_t n = 1;; ++n) {
    INFO(name_of(call) << " " << n);
    older.disk.restore(older.files);
    older.disk.clear_faults();
    older.disk.fail({call, n, SQLITE_IOERR, false, DiskDone::nothing, ""});
    auto opened = SqliteStore::open(older.path, OpenMode::broker, {{}, {}, older.steps});
    const bool met = older.disk.faults_met() > 0;
    older.disk.clear_faults();
    if (opened) {
      CHECK(state_digest(load(**opened)) == older.digest);
    } else {
      CHECK(describe(opened.error()).find("broker.db") != std::string::npos);
    }
    older.disk.crash(DiskCrash::lose_unsynced);
    if (opened) opened->reset();
    older.require_all_or_nothing();
    if (!met) break;
    CHECK(n < 500);
  }
}

TEST_CASE("a database put back from an earlier copy is noticed, with its log or without") {
  const TempDir dir;
  SimulatedDisk disk(dir.file(""));
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  const DiskSnapshot yesterday = disk.snapshot();
  CHECK(yesterday.count("broker.db-wal") == 1);
  const Hash then = state_digest(recorded.site.state);
  recorded.flip_to_and_fro(2);
  recorded.store.reset();
  disk.restore(yesterday);
  {
    auto store = open_store(path);
    CHECK(store->database_older());
    CHECK(state_digest(load(*store)) == then);
  }
  std::filesystem::remove(path + ".commit");
  disk.restore(yesterday);
  CHECK_FALSE(open_store(path)->database_older());  // the agents' higher numbers show it then
}

TEST_CASE(
    "a commit file of zeros, as a power failure may leave it, tells nothing and harms nothing") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  {
    RecordedSite recorded(path);
    recorded.begin();
  }
  std::ofstream(path + ".commit", std::ios::binary) << std::string(21, '\0');
  CHECK_FALSE(open_store(path)->database_older());
  std::ofstream(path + ".commit", std::ios::binary) << "twelve";
  const auto refused = SqliteStore::open(path, OpenMode::broker);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::corrupt);
}
