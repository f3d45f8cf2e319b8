// Retention: the history stays below its age and the file below its size, and is intact all the
// time.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "broker/record/state_bytes.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/log/history.hpp"
#include "broker/store/retention.hpp"
#include "broker/store/sqlite/kept_log.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/whole_history.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kHour = 3'600'000;

int64_t count(SqliteStore& store, const std::string& sql) {
  return store.database().execAndGet(sql).getInt64();
}

}  // namespace

TEST_CASE("history older than the age goes, younger stays, and what is left verifies") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"), one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{8 * kHour, 0}, {}, {}});
  recorded.begin();
  for (int day = 0; day < 4; ++day) {
    recorded.flip_to_and_fro(72);  // half a day
    const int64_t now = recorded.site.now.ms;
    const int64_t oldest = count(*recorded.store, "SELECT min(time_ms) FROM log");
    CHECK(oldest < now - 7 * kHour);
    CHECK(oldest > now - 11 * kHour);
    require_whole(recorded.store->log());
    CHECK(recorded.store->compaction_error().empty());
  }
}

TEST_CASE("a history many times longer than the size limit stays below it and verifies") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  constexpr int64_t kLimit = 2 * 1024 * 1024;
  RecordedSite recorded(path, one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{0, kLimit}, {}, {}});
  recorded.begin();
  recorded.batch = 20;
  int64_t written = 0;
  uint64_t largest = 0;
  while (written < 4 * kLimit) {
    const int64_t before = read_end(recorded.store->log()).value().last_event;
    recorded.flip_to_and_fro(50);
    written += (read_end(recorded.store->log()).value().last_event - before) * 150;
    largest = std::max(largest, std::filesystem::file_size(path));
  }
  CHECK(largest < static_cast<uint64_t>(kLimit));
  CHECK(count(*recorded.store, "SELECT min(first_event) FROM log") > 1000);
  require_whole(recorded.store->log());
  recorded.restart();
  recorded.connect();
  recorded.flip_to_and_fro(2);
  require_whole(recorded.store->log());
}

TEST_CASE("without limits nothing is removed") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  recorded.flip_to_and_fro(200);
  CHECK(count(*recorded.store, "SELECT min(first_event) FROM log") == 1);
}

TEST_CASE("history is neither changed nor removed by anything but retention") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"), one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{8 * kHour, 0}, {}, {}});
  recorded.begin();
  recorded.flip_to_and_fro(100);
  REQUIRE(count(*recorded.store, "SELECT count(DISTINCT last_event) FROM base") > 1);
  for (const char* sql : {"UPDATE log SET batch = 0", "DELETE FROM log", "UPDATE base SET part = 0",
                          "DELETE FROM base"}) {
    CAPTURE(sql);
    CHECK_THROWS_AS(recorded.store->database().exec(sql), SQLite::Exception);
  }
}

TEST_CASE("removing that fails costs no commit, is told, and is tried again") {
  const TempDir dir;
  bool fail_now = true;
  StoreOptions options{Retention{2 * kHour, 0}, {}, {}};
  options.fault = [&](std::string_view step) { return step == "compact" && fail_now ? 10 : 0; };
  RecordedSite recorded(dir.file("broker.db"), one_pool(2, 4), OpenMode::broker, options);
  recorded.begin();
  recorded.flip_to_and_fro(40);
  CHECK(recorded.store->compaction_error().find("the disk failed") != std::string::npos);
  CHECK(count(*recorded.store, "SELECT min(first_event) FROM log") == 1);
  require_whole(recorded.store->log());
  fail_now = false;
  recorded.flip_to_and_fro(2);
  CHECK(recorded.store->compaction_error().empty());
  CHECK(count(*recorded.store, "SELECT min(first_event) FROM log") > 1);
  require_whole(recorded.store->log());
}

TEST_CASE("bases are due by bytes and by age, and never for nothing") {
  const Retention none;
  const Retention sized{0, 64 * 1024 * 1024};
  const Retention aged{80 * kHour, 0};
  const Instant start{0};
  CHECK_FALSE(is_base_needed(none, 1000, 0, start, Instant{1000 * kHour}));
  CHECK(is_base_needed(none, 1024 * 1024, 0, start, start));
  CHECK_FALSE(
      is_base_needed(none, 1024 * 1024, 200'000, start, start));  // eight of them are larger
  CHECK(is_base_needed(none, 1'600'000, 200'000, start, start));
  CHECK(is_base_needed(none, 16 * 1024 * 1024, 5'000'000, start, start));
  CHECK(is_base_needed(sized, base_interval_bytes(sized, 0), 0, start, start));
  CHECK_FALSE(is_base_needed(sized, base_interval_bytes(sized, 0) - 1, 0, start, start));
  CHECK(is_base_needed(aged, 1, 0, start, Instant{10 * kHour}));
  CHECK_FALSE(is_base_needed(aged, 1, 0, start, Instant{10 * kHour - 1}));
  CHECK_FALSE(is_base_needed(aged, 0, 0, start, Instant{1000 * kHour}));
  CHECK(base_interval_bytes(sized, 10'000'000) == 20'000'000);
}

TEST_CASE("the age of the next base counts from the last base, also for a store that was opened") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path, one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{8 * kHour, 0}, {}, {}});
  recorded.begin();
  const Fault none;
  SqliteKept kept(recorded.store->database(), path, none);
  const int64_t first_ms = count(*recorded.store, "SELECT min(time_ms) FROM log");
  const KeptLog::Since before = kept.since_base().value();
  CHECK(before.base_bytes == 0);
  CHECK(before.time == Instant{first_ms});
  recorded.flip_to_and_fro(40);
  REQUIRE(count(*recorded.store, "SELECT count(*) FROM base") > 0);
  // One event each 25 minutes, so that time passes between a base and the row after it.
  const char* const after_base =
      "SELECT coalesce(min(time_ms), 0) FROM log WHERE first_event > "
      "(SELECT max(last_event) FROM base WHERE part = 0)";
  const auto base_ms = [&] { return count(*recorded.store, "SELECT max(time_ms) FROM base"); };
  for (int i = 0; i < 20 && count(*recorded.store, after_base) <= base_ms(); ++i) {
    recorded.site.now = recorded.site.now + 25 * kHour / 60;
    recorded.busy("east", i % 2);
  }
  REQUIRE(count(*recorded.store, after_base) > base_ms());
  const KeptLog::Since after = kept.since_base().value();
  CHECK(after.base_bytes > 0);
  CHECK(after.time == Instant{base_ms()});
}

TEST_CASE("that the file beside the database cannot be written is known, and commits go on") {
  const TempDir dir;
  const int sealed = ::memfd_create("commit", MFD_ALLOW_SEALING);  // nobody can write it
  REQUIRE(::fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW) == 0);
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(sealed),
                                  dir.file("broker.db.commit"));
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  for (int i = 0; i < 2; ++i) {  // it was forgotten in the commit that found it
    recorded.flip_to_and_fro(1);
    CHECK(recorded.store->compaction_error().find("cannot write") != std::string::npos);
  }
  ::close(sealed);
}
