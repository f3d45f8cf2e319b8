// The simulated disk itself: what survives which crash, what a fault does, what it costs.
#include "tests/support/disk/simulated_disk.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>

using namespace leasehold;
using namespace leasehold::test;

namespace {

const std::string kFolder = "/nowhere/machine/";
const std::string kPath = kFolder + "numbers.db";

using OpenDatabase = std::optional<SQLite::Database>;

void open(OpenDatabase& db, const char* journal = "wal", const std::string& path = kPath) {
  db.emplace(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 100);
  REQUIRE(db->execAndGet(std::string("pragma journal_mode = ") + journal).getString() == journal);
  // EXTRA is needed where a commit is the removal of a file: FULL may lose it with the power.
  db->exec(journal == std::string("wal") ? "pragma synchronous = full"
                                         : "pragma synchronous = extra");
  db->exec("create table if not exists number (value integer primary key, pad blob)");
}

void put(SQLite::Database& db, int value) {
  db.exec("insert into number values (" + std::to_string(value) + ", zeroblob(5000))");
}

int count(SQLite::Database& db) {
  REQUIRE(db.execAndGet("pragma integrity_check").getString() == "ok");
  return db.execAndGet("select count(*) from number").getInt();
}

}  // namespace

TEST_CASE("what SQLite commits on a simulated disk is there for the next to open it") {
  SimulatedDisk disk(kFolder);
  for (const char* journal : {"wal", "delete", "truncate"}) {
    disk.remove_all();
    OpenDatabase db;
    open(db, journal);
    for (int i = 0; i < 50; ++i) put(*db, i);
    db.reset();
    CHECK(disk.open_handles() == 0);
    open(db, journal);
    CHECK(count(*db) == 50);
  }
  CHECK_FALSE(std::filesystem::exists(kPath));
  CHECK(disk.bytes_used() > 50 * 5000);
}

TEST_CASE("whatever the crash, all that was committed stays and nothing half-done does") {
  const auto how = GENERATE(DiskCrash::keep_written, DiskCrash::lose_unsynced, DiskCrash::torn,
                            DiskCrash::scattered);
  const std::string journal = GENERATE("wal", "delete");
  for (int64_t changes = 0; changes < 150; ++changes) {
    SimulatedDisk disk(kFolder, static_cast<uint64_t>(changes));
    OpenDatabase db;
    open(db, journal.c_str());
    db->exec("pragma wal_autocheckpoint = 20");
    disk.halt_after(changes);
    int committed = 0;
    try {
      for (; committed < 40; ++committed) put(*db, committed);
    } catch (const SQLite::Exception&) {
      REQUIRE(disk.halted());
    }
    disk.crash(how);
    db.reset();
    open(db, journal.c_str());
    const int found = count(*db);
    INFO("after " << changes << " changes");
    REQUIRE(found >= committed);
    REQUIRE(found <= committed + 1);
  }
}

TEST_CASE("what no sync has reached is lost with the power") {
  SimulatedDisk disk(kFolder);
  OpenDatabase db;
  open(db);
  put(*db, 1);
  db->exec("pragma synchronous = off");
  for (int i = 2; i < 10; ++i) put(*db, i);
  CHECK(disk.unsynced_bytes() > 8 * 5000);
  SECTION("not with the process") {
    disk.crash(DiskCrash::keep_written);
    open(db);
    CHECK(count(*db) == 9);
    disk.crash(DiskCrash::lose_unsynced);
    open(db);
    CHECK(count(*db) < 9);
  }
  SECTION("all of it") {
    disk.crash(DiskCrash::lose_unsynced);
    open(db);
    CHECK(count(*db) == 1);
  }
  SECTION("or a part, which the seed chooses") {
    disk.crash(DiskCrash::torn);
    open(db);
    const int found = count(*db);
    CHECK((found >= 1 && found <= 9));
  }
}

TEST_CASE("handles of before a crash are dead and leave the files alone") {
  SimulatedDisk disk(kFolder);
  OpenDatabase old;
  open(old);
  put(*old, 1);
  disk.crash(DiskCrash::keep_written);
  CHECK_THROWS_AS(put(*old, 2), SQLite::Exception);
  OpenDatabase db;
  open(db);
  put(*db, 3);
  CHECK_THROWS_AS(put(*old, 4), SQLite::Exception);
  old.reset();
  put(*db, 5);
  CHECK(count(*db) == 3);
}

TEST_CASE("a fault strikes the n-th call of its kind, once or for good") {
  SimulatedDisk disk(kFolder);
  OpenDatabase db;
  open(db);
  disk.fail({DiskCall::sync, 2, SQLITE_IOERR_FSYNC, false, DiskDone::nothing, "-wal"});
  put(*db, 1);
  CHECK_THROWS_AS(put(*db, 2), SQLite::Exception);
  CHECK(disk.faults_met() == 1);
  put(*db, 3);
  disk.fail({DiskCall::write, 1, SQLITE_FULL, true, DiskDone::half, ""});
  CHECK_THROWS_AS(put(*db, 4), SQLite::Exception);
  CHECK_THROWS_AS(put(*db, 5), SQLite::Exception);
  disk.clear_faults();
  put(*db, 6);
  CHECK(count(*db) == 3);
}

TEST_CASE("a full disk takes no more until there is room again") {
  SimulatedDisk disk(kFolder);
  OpenDatabase db;
  open(db);
  put(*db, 1);
  disk.set_capacity(disk.bytes_used() + 6000);
  int written = 1;
  try {
    for (;; ++written) put(*db, written + 1);
  } catch (const SQLite::Exception& error) {
    CHECK(error.getErrorCode() == SQLITE_FULL);
  }
  disk.set_capacity(0);
  put(*db, 100);
  CHECK(count(*db) == written + 1);
}

TEST_CASE("yesterday's files are put back whole, or one of them") {
  SimulatedDisk disk(kFolder);
  OpenDatabase db;
  open(db);
  put(*db, 1);
  const DiskSnapshot yesterday = disk.snapshot();
  CHECK(yesterday.count("numbers.db-wal") == 1);
  put(*db, 2);
  disk.restore(yesterday);
  db.reset();
  open(db);
  CHECK(count(*db) == 1);
  put(*db, 3);
  db->exec("pragma wal_checkpoint(truncate)");
  disk.crash(DiskCrash::lose_unsynced);
  CHECK(disk.remove_file("numbers.db"));
  CHECK_FALSE(disk.remove_file("numbers.db"));
  open(db);
  CHECK(count(*db) == 0);
}

TEST_CASE("each machine has a disk of its own, and other paths are the real ones") {
  SimulatedDisk east("/nowhere/east/");
  SimulatedDisk west("/nowhere/west/");
  OpenDatabase one;
  OpenDatabase two;
  open(one, "wal", "/nowhere/east/x.db");
  open(two, "wal", "/nowhere/west/x.db");
  put(*one, 1);
  east.crash(DiskCrash::lose_unsynced);
  put(*two, 1);
  CHECK_THROWS_AS(put(*one, 2), SQLite::Exception);
  CHECK_THROWS_AS(SQLite::Database("/nowhere/north/x.db", SQLite::OPEN_CREATE), SQLite::Exception);
  const auto real = std::filesystem::temp_directory_path() / "leasehold-real-beside.db";
  {
    OpenDatabase file;
    open(file, "wal", real.string());
    CHECK(std::filesystem::exists(real));
  }
  std::filesystem::remove(real);
}

TEST_CASE("two connections share the log, and one waits in no time for the other's lock") {
  SimulatedDisk disk(kFolder);
  OpenDatabase one;
  OpenDatabase two;
  open(one);
  open(two);
  put(*one, 1);
  CHECK(count(*two) == 1);
  one->exec("begin immediate");
  CHECK_THROWS_AS(two->exec("begin immediate"), SQLite::Exception);
  one->exec("commit");
  put(*two, 2);
  CHECK(count(*one) == 2);
}

TEST_CASE("clock and random numbers of SQLite are those that the test sets") {
  SimulatedDisk disk(kFolder);
  SimulatedDisk::set_clock(Instant{1'000'000'000'000});
  OpenDatabase db;
  open(db);
  CHECK(db->execAndGet("select strftime('%s', 'now')").getString() == "1000000000");
  SimulatedDisk::seed_sqlite(5);
  const auto first = db->execAndGet("select random()").getInt64();
  SimulatedDisk::seed_sqlite(5);
  CHECK(db->execAndGet("select random()").getInt64() == first);
}
