// Disks fail and processes are killed: what was committed stays, what was not never shows.
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "broker/replay/verify.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/state_digest.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Fails the n-th write after it is armed.
struct Trap {
  int countdown = -1;
  int code = SQLITE_FULL;
  std::string met;

  StoreOptions options(const Retention& retention = {}) {
    return {retention,
            [this](std::string_view statement) {
              if (countdown < 0 || --countdown >= 0) return 0;
              met = statement;
              return code;
            },
            {}};
  }
};

void require_undamaged(const std::string& path) {
  auto store = reader(path);
  const auto report = verify(*store);
  REQUIRE(report.has_value());
  INFO((report->ok() ? "" : describe(*report->difference)));
  REQUIRE(report->ok());
}

/// A site whose next commit contains a flip, and so rows of many kinds.
struct Prepared {
  explicit Prepared(const std::string& path, StoreOptions options)
      : recorded(path, one_pool(2, 4), OpenMode::broker, std::move(options)) {
    recorded.begin();
    recorded.flip_to_and_fro(1);
    before = state_digest(recorded.site.state);
    recorded.batch = 1'000'000;
    for (int i = 0; i < 2; ++i) {
      recorded.busy("east", i % 2 == 0 ? 4 : 0);
      recorded.busy("west", i % 2 == 0 ? 1 : 4);
      recorded.site.pass(600'000);
    }
  }
  RecordedSite recorded;
  Hash before;
};

}  // namespace

TEST_CASE("whichever write fails, the state before stays whole and the store takes no more") {
  const TempDir dir;
  int n = 0;
  for (;; ++n) {
    const std::string path = dir.file("broker" + std::to_string(n) + ".db");
    Trap trap;
    {
      Prepared prepared(path, trap.options());
      trap.countdown = n;
      const Status done = prepared.recorded.store->commit(prepared.recorded.site.state);
      if (done) break;
      CHECK(done.error().code == ErrorCode::io);
      CHECK(done.error().message.find("disk is full") != std::string::npos);
      CHECK_FALSE(prepared.recorded.site.state.dirty_groups.empty());
      trap.countdown = -1;
      const Status again = prepared.recorded.store->commit(prepared.recorded.site.state);
      REQUIRE_FALSE(again.has_value());
      CHECK(again.error().message.find("earlier commit failed") != std::string::npos);
      prepared.recorded.store.reset();
      auto reopened = open_store(path);
      REQUIRE(state_digest(load(*reopened)) == prepared.before);
      CHECK_FALSE(reopened->database_older());
    }
    require_undamaged(path);
  }
  CHECK(n == 2);  // the row, and the commit
}

TEST_CASE("each kind of failure says what it is and what to do") {
  struct Row {
    int code;
    const char* words;
    ErrorCode error;
  };
  const Row row = GENERATE(Row{SQLITE_FULL, "disk is full", ErrorCode::io},
                           Row{SQLITE_READONLY, "cannot be written", ErrorCode::io},
                           Row{SQLITE_BUSY, "locked by another program", ErrorCode::io},
                           Row{SQLITE_IOERR, "the disk failed", ErrorCode::io},
                           Row{SQLITE_CORRUPT, "restore a backup", ErrorCode::corrupt});
  const TempDir dir;
  Trap trap;
  Prepared prepared(dir.file("broker.db"), trap.options());
  trap.countdown = 0;
  trap.code = row.code;
  const Status done = prepared.recorded.store->commit(prepared.recorded.site.state);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == row.error);
  CHECK(done.error().message.find(row.words) != std::string::npos);
  CHECK(done.error().message.find("broker.db") != std::string::npos);
}

TEST_CASE("a database that really cannot grow is an error, and what it holds stays") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  const Hash before = state_digest(recorded.site.state);
  recorded.batch = 1'000'000;
  SQLite::Database& db = recorded.store->database();
  db.exec("PRAGMA max_page_count = " + db.execAndGet("PRAGMA page_count").getString());
  recorded.flip_to_and_fro(0);
  for (int i = 0; i < 50; ++i) {
    recorded.busy("east", i % 2 == 0 ? 0 : 4);
    recorded.busy("west", i % 2 == 0 ? 4 : 1);
    recorded.site.pass(600'000);
  }
  const Status done = recorded.store->commit(recorded.site.state);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().message.find("disk is full") != std::string::npos);
  recorded.store.reset();
  CHECK(state_digest(load(*open_store(path))) == before);
}

TEST_CASE("a database locked by another program is an error after a short wait") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  Prepared prepared(path, {});
  SQLite::Database other(path, SQLite::OPEN_READWRITE);
  SQLite::Transaction held(other, SQLite::TransactionBehavior::IMMEDIATE);
  const Status done = prepared.recorded.store->commit(prepared.recorded.site.state);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().message.find("locked by another program") != std::string::npos);
}

TEST_CASE("a file that is no database, and a damaged one, are refused with a clear word") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  std::ofstream(path) << std::string(8192, 'x');
  for (const Error& refused : refusals(path)) {
    CHECK(refused.code == ErrorCode::corrupt);
  }
  const auto nowhere = SqliteStore::open(dir.file("no/such/folder.db"), OpenMode::broker);
  CHECK_FALSE(nowhere.has_value());
  const auto missing = open_log(dir.file("missing.db"));
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().message.find("there is no database") != std::string::npos);
}

TEST_CASE("pages overwritten by something else end in an error, not in a crash") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  {
    RecordedSite recorded(path);
    recorded.begin();
    recorded.flip_to_and_fro(20);
  }
  const auto pages = std::filesystem::file_size(path) / 4096;
  REQUIRE(pages > 10);
  int noticed = 0;
  for (uint64_t page = 1; page < pages; ++page) {
    const std::string copied = dir.file("copy.db");
    std::filesystem::copy_file(path, copied, std::filesystem::copy_options::overwrite_existing);
    std::fstream file(copied, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(page * 4096));
    file << std::string(4096, '\xa5');
    file.close();
    const auto log = open_log(copied);
    const bool sound = log && load_state(**log) && verify(**log) && verify(**log)->ok();
    noticed += sound ? 0 : 1;
  }
  CHECK(noticed > 10);  // pages of indices that nothing reads here may go unnoticed
}

TEST_CASE("files copied at any moment of a batch open at a commit, as after kill -9") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  const std::string copied = dir.file("copy.db");
  std::vector<Hash> committed;
  int copies = 0;
  StoreOptions options;
  options.fault = [&](std::string_view) {
    if (committed.empty()) return 0;
    std::filesystem::remove(copied + "-wal");
    std::filesystem::remove(copied + "-shm");
    std::filesystem::copy_file(path, copied, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::copy_file(path + "-wal", copied + "-wal");
    std::filesystem::copy_file(path + ".commit", copied + ".commit",
                               std::filesystem::copy_options::overwrite_existing);
    auto store = open_store(copied);
    REQUIRE(state_digest(load(*store)) == committed.back());
    REQUIRE_FALSE(store->database_older());
    ++copies;
    return 0;
  };
  RecordedSite recorded(path, one_pool(2, 4), OpenMode::broker, options);
  recorded.begin();
  const auto record = recorded.site.recorder;
  recorded.site.recorder = [&](const Event& event, std::span<const Record> records) {
    record(event, records);
    committed.push_back(state_digest(recorded.site.state));
  };
  recorded.flip_to_and_fro(12);
  CHECK(copies > 50);
}

TEST_CASE("a broker killed while it writes leaves a history that verifies") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  for (int round = 0; round < 5; ++round) {
    int pipe_ends[2];
    char byte = 0;
    REQUIRE(::pipe(pipe_ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {  // a broker that never ends by itself
      RecordedSite recorded(path);
      if (round == 0) recorded.site.add_hosts("east", 2, 4);
      recorded.site.sessions += 1000 * static_cast<uint64_t>(round);
      recorded.start();
      while (::write(pipe_ends[1], &byte, 1) == 1) {
        recorded.site.load(one_pool(2, 4 - static_cast<int>(recorded.site.now.ms % 2)));
      }
    }
    // However slow the machine is, the child is killed while it writes, and not before.
    for (int n = 0; n < 4; ++n) REQUIRE(::read(pipe_ends[0], &byte, 1) == 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (const int end : pipe_ends) ::close(end);
    CHECK_FALSE(open_store(path)->database_older());
    require_undamaged(path);
  }
  CHECK(open_store(path)->commit_number() > 10);
}
