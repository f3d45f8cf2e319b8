// Every n-th call of the disk fails once, in every way it can: the store reports it, and the
// database holds exactly what was committed.
#include <sqlite3.h>

#include <catch2/catch.hpp>

#include "tests/support/recorded_site.hpp"
#include "tests/unit/store/played_batches.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

const PlayedLife& the_life() {
  static const PlayedLife life = record_life(24);
  return life;
}

struct Kind {
  DiskCall call;
  int code;
  DiskDone done;
};

/// Plays the whole life from `from` on with the n-th call failing, for each n. Returns how many
/// there were.
int64_t fail_each(const Kind& kind, std::optional<DiskCrash> end_of_process,
                  const DiskSnapshot& from = the_life().begun) {
  const TempDir dir;
  SimulatedDisk disk(dir.file(""));
  for (int64_t n = 1;; ++n) {
    INFO(name_of(kind.call) << " " << n << " fails with " << kind.code
                            << ", done: " << static_cast<int>(kind.done));
    disk.restore(from);
    std::filesystem::remove(dir.file("broker.db.commit"));
    disk.clear_faults();
    disk.fail({kind.call, n, kind.code, false, kind.done, ""});
    LifePlayer player(the_life(), disk, dir.file("broker.db"));
    player.end_of_process = end_of_process;
    player.play();
    const bool met = disk.faults_met() > 0;
    disk.clear_faults();
    player.end(DiskCrash::lose_unsynced);
    player.require_whole();
    if (!met) return n - 1;
  }
}

}  // namespace

TEST_CASE("the life that is played has everything that can fail in it") {
  const TempDir dir;
  SimulatedDisk disk(dir.file(""));
  LifePlayer player(the_life(), disk, dir.file("broker.db"));
  player.play();
  CHECK(player.failures() == 0);
  player.require_whole();
  CHECK(the_life().batches.size() > 15);
  CHECK(the_life().events_removed > 50);
  for (size_t call = 0; call < kDiskCalls; ++call) {
    INFO(name_of(static_cast<DiskCall>(call)));
    CHECK(disk.calls(static_cast<DiskCall>(call)) > 2);
  }
}

TEST_CASE("whichever call of a first start fails, the next makes it whole") {
  const Kind kind = GENERATE(Kind{DiskCall::write, SQLITE_IOERR_WRITE, DiskDone::nothing},
                             Kind{DiskCall::write, SQLITE_FULL, DiskDone::half},
                             Kind{DiskCall::sync, SQLITE_IOERR_FSYNC, DiskDone::nothing},
                             Kind{DiskCall::sync, SQLITE_IOERR_FSYNC, DiskDone::half},
                             Kind{DiskCall::open, SQLITE_IOERR, DiskDone::nothing},
                             Kind{DiskCall::read, SQLITE_IOERR_READ, DiskDone::nothing});
  const TempDir dir;
  SimulatedDisk disk(dir.file(""));
  bool met = true;
  for (int64_t n = 1; met; ++n) {
    INFO(name_of(kind.call) << " " << n);
    disk.remove_all();
    disk.clear_faults();
    disk.fail({kind.call, n, kind.code, false, kind.done, ""});
    LifePlayer player(the_life(), disk, dir.file("broker.db"));
    player.open_and_compare();
    met = disk.faults_met() > 0;
    disk.clear_faults();
    player.end(DiskCrash::lose_unsynced);
    REQUIRE(player.open_and_compare());
    CHECK(n < 1000);
  }
}

TEST_CASE("whichever write fails the database holds what was committed", "[sweep]") {
  const Kind kind = GENERATE(Kind{DiskCall::write, SQLITE_IOERR_WRITE, DiskDone::nothing},
                             Kind{DiskCall::write, SQLITE_IOERR_WRITE, DiskDone::all},
                             Kind{DiskCall::write, SQLITE_FULL, DiskDone::half});
  CHECK(fail_each(kind, std::nullopt) > 100);
}

TEST_CASE("whichever sync fails the database holds what was committed, whoever notices",
          "[sweep]") {
  const auto done = GENERATE(DiskDone::nothing, DiskDone::half, DiskDone::all);
  const auto end = GENERATE(std::optional<DiskCrash>{}, DiskCrash::keep_written,
                            DiskCrash::lose_unsynced, DiskCrash::torn);
  CHECK(fail_each({DiskCall::sync, SQLITE_IOERR_FSYNC, done}, end) > 20);
}

TEST_CASE("whichever read fails nothing is made up instead", "[sweep]") {
  const int code = GENERATE(SQLITE_IOERR_READ, SQLITE_CORRUPT, SQLITE_NOMEM);
  CHECK(fail_each({DiskCall::read, code, DiskDone::nothing}, std::nullopt) > 15);
}

TEST_CASE("whichever other call fails the database holds what was committed", "[sweep]") {
  const Kind kind = GENERATE(Kind{DiskCall::truncate, SQLITE_IOERR_TRUNCATE, DiskDone::nothing},
                             Kind{DiskCall::truncate, SQLITE_IOERR_TRUNCATE, DiskDone::all},
                             Kind{DiskCall::open, SQLITE_CANTOPEN, DiskDone::nothing},
                             Kind{DiskCall::open, SQLITE_IOERR, DiskDone::nothing},
                             Kind{DiskCall::lock, SQLITE_BUSY, DiskDone::nothing},
                             Kind{DiskCall::lock, SQLITE_IOERR_LOCK, DiskDone::nothing},
                             Kind{DiskCall::remove, SQLITE_IOERR_DELETE, DiskDone::nothing},
                             Kind{DiskCall::remove, SQLITE_IOERR_DELETE, DiskDone::all},
                             Kind{DiskCall::access, SQLITE_IOERR_ACCESS, DiskDone::nothing},
                             Kind{DiskCall::map, SQLITE_IOERR_SHMMAP, DiskDone::nothing},
                             Kind{DiskCall::size, SQLITE_IOERR_FSTAT, DiskDone::nothing});
  const DiskSnapshot nothing;  // only a first start makes some of these calls
  CHECK(fail_each(kind, std::nullopt, nothing) > 0);
}

TEST_CASE("what a broker reads at its start no later power loss takes back") {
  // A killed writer's log may only be in the system's memory, and after a failed sync the system
  // believes otherwise.
  const TempDir dir;
  SimulatedDisk disk(dir.file(""));
  const auto done = GENERATE(DiskDone::nothing, DiskDone::half);
  for (int64_t n = 1; n <= 40; ++n) {
    INFO("sync " << n);
    disk.remove_all();
    std::filesystem::remove(dir.file("broker.db.commit"));
    disk.clear_faults();
    disk.fail({DiskCall::sync, n, SQLITE_IOERR_FSYNC, false, done, "-wal"});
    LifePlayer player(the_life(), disk, dir.file("broker.db"));
    if (player.play_until_failure()) break;
    player.end(DiskCrash::keep_written);
    REQUIRE(player.open_and_compare());
    player.end(DiskCrash::lose_unsynced);
    REQUIRE(player.open_and_compare());
    player.play();
    player.end(DiskCrash::lose_unsynced);
    player.require_whole();
  }
}
