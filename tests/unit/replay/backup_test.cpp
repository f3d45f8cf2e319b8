// A copy of a log is made in parts, verified as it is made, and put back.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "broker/replay/backup_file.hpp"
#include "broker/replay/kept_copies.hpp"
#include "broker/replay/verify.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/state_digest.hpp"
#include "tests/support/tampered_log.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kHour = 3'600'000;

/// Returns all of a file's rows and parts, in order.
std::string dump(const std::string& path) {
  SQLite::Database db(path, SQLite::OPEN_READONLY);
  std::string all;
  for (const char* sql : {"SELECT first_event || hex(hash) FROM log ORDER BY 1",
                          "SELECT last_event || ' ' || part || hex(hash) FROM base ORDER BY 1"}) {
    SQLite::Statement rows(db, sql);
    while (rows.executeStep()) all += rows.getColumn(0).getString() + "\n";
  }
  return all;
}

struct Copying {
  Copying(Log& from, const std::string& to, size_t bytes)
      : log(from), page_bytes(bytes), file(BackupFile::create(to)) {}
  Result<Json> page() { return backup_page(log, file->place(), page_bytes); }
  /// Copies one more part.
  Status step() {
    const Result<Json> next = page();
    if (!next) return tl::unexpected(next.error());
    ++pages;
    return file->add(*next);
  }
  Result<BackupMade> all() {
    while (!file->is_complete()) {
      if (Status done = step(); !done) return tl::unexpected(done.error());
    }
    return file->finish();
  }
  Log& log;
  size_t page_bytes;
  Result<BackupFile> file;
  int pages = 0;
};

void require_whole(const std::string& path) {
  const auto report = verify(*reader(path));
  REQUIRE(report.has_value());
  INFO((report->ok() ? "" : describe(*report->difference)));
  REQUIRE(report->ok());
}

}  // namespace

TEST_CASE("a copy has every row and base, in parts of any size, and is its owner's alone") {
  const size_t page_bytes = GENERATE(size_t{1}, size_t{4096}, kBackupPageBytes);
  const int64_t age_ms = GENERATE(int64_t{0}, 24 * kHour);  // the second begins with a base
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"), one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{age_ms, 0}, {}, {}});
  recorded.begin();
  recorded.flip_to_and_fro(age_ms == 0 ? 20 : 200);
  Copying copying(recorded.store->log(), dir.file("copy.db"), page_bytes);
  const auto made = copying.all();
  INFO((made ? "" : describe(made.error())));
  REQUIRE(made.has_value());
  CHECK((copying.pages > 10 || page_bytes > 1));
  CHECK(dump(dir.file("copy.db")) == dump(dir.file("broker.db")));
  CHECK(made->batch == recorded.store->commit_number());
  CHECK(made->time <= recorded.site.state.now);
  CHECK(state_digest(load(*reader(dir.file("copy.db")))) == state_digest(recorded.site.state));
  require_whole(dir.file("copy.db"));
  struct stat facts {};
  REQUIRE(::stat(dir.file("copy.db").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777U) == 0600U);
}

TEST_CASE("a copy ends where the log ended when it was begun, while the broker goes on") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  recorded.flip_to_and_fro(3);
  const std::string then = dump(dir.file("broker.db"));
  Copying copying(recorded.store->log(), dir.file("copy.db"), 1);
  for (int i = 0; i < 5; ++i) REQUIRE(copying.step().has_value());
  recorded.flip_to_and_fro(3);
  REQUIRE(copying.all().has_value());
  CHECK(dump(dir.file("copy.db")) == then);
  require_whole(dir.file("copy.db"));
}

TEST_CASE("what retention removed meanwhile is told, and no half of a copy stays") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"), one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{8 * kHour, 0}, {}, {}});
  recorded.begin();
  recorded.flip_to_and_fro(10);
  {
    Copying copying(recorded.store->log(), dir.file("copy.db"), 1);
    REQUIRE(copying.step().has_value());
    recorded.flip_to_and_fro(150);
    const auto made = copying.all();
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code == ErrorCode::refused);
    CHECK(made.error().message.find("make it again") != std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(dir.file("copy.db")));
}

TEST_CASE("parts that are others than were written are refused") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  recorded.flip_to_and_fro(3);
  const auto refused = [&](const std::function<void(Json&)>& change) {
    Copying copying(recorded.store->log(), dir.file("copy.db"), kBackupPageBytes);
    Json page = *copying.page();
    change(page);
    const Status added = copying.file->add(page);
    return !added || !copying.file->is_complete() || !copying.file->finish();
  };
  CHECK_FALSE(refused([](Json&) {}));
  std::filesystem::remove(dir.file("copy.db"));
  CHECK(refused([](Json& page) { page["items"].erase(3); }));
  CHECK(refused([](Json& page) { page["items"][3]["row"][2] = 7; }));
  CHECK(refused([](Json& page) { page["items"][3]["body"] = page["items"][4]["body"]; }));
  CHECK(refused([](Json& page) { page["items"][3]["body"] = "no base64!"; }));
  CHECK(refused([](Json& page) { page["items"][3]["hash"] = "AAAA"; }));
  CHECK(refused([](Json& page) { page["items"][3]["row"] = Json::array({1}); }));
  CHECK(refused([](Json& page) { page["items"][3] = 7; }));
  CHECK(refused([](Json& page) { page["items"].erase(page["items"].size() - 1); }));
  CHECK(refused([](Json& page) { page["items"] = Json::array(); }));
  CHECK(refused([](Json& page) { page["items"] = "none"; }));
  CHECK(refused([](Json& page) { page.erase("last_event"); }));
  CHECK_FALSE(std::filesystem::exists(dir.file("copy.db")));
}

TEST_CASE(
    "a copy does not go on without end where a broker sends rows beyond the end that it told") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  recorded.flip_to_and_fro(3);
  Copying copying(recorded.store->log(), dir.file("copy.db"), 1);
  const Json first = copying.page().value();
  const BackupPlace second{first["after"].get<int64_t>(), first["part"].get<int64_t>()};
  Json page = backup_page(recorded.store->log(), second, kBackupPageBytes).value();
  REQUIRE_FALSE(page["items"].empty());
  page["last_event"] = first["after"];
  const Status added = copying.file->add(page);
  REQUIRE_FALSE(added.has_value());
  CHECK(added.error().code == ErrorCode::version);
  CHECK_THAT(added.error().message, Catch::Contains("beyond the end of the log"));
}

TEST_CASE("a copy does not go on without end where a broker sends more of a base than it has") {
  const std::string body = GENERATE("", "AAAA", std::string(size_t{4} << 20U, 'A'));
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"), one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{24 * kHour, 0}, {}, {}});
  recorded.begin();
  recorded.flip_to_and_fro(200);
  Copying copying(recorded.store->log(), dir.file("copy.db"), 1);
  Json page = *copying.page();
  REQUIRE(copying.file->add(page).has_value());
  Status added;
  for (int64_t part = 1; added && part < 1'000'000; ++part) {
    page["items"][0]["base"][1] = part;
    page["items"][0]["body"] = body;
    added = copying.file->add(page);
  }
  REQUIRE_FALSE(added.has_value());
  // A part larger than any may be is refused by itself.
  CHECK_THAT(added.error().message,
             Catch::Contains("more than its first part says") || Catch::Contains("not a part"));
}

TEST_CASE("a copy has its name only when it is whole") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  recorded.flip_to_and_fro(3);
  Copying copying(recorded.store->log(), dir.file("copy.db"), 1);
  for (int i = 0; i < 5; ++i) REQUIRE(copying.step().has_value());
  CHECK_FALSE(std::filesystem::exists(dir.file("copy.db")));  // as after kill -9
  SECTION("in its place") {
    REQUIRE(copying.all().has_value());
    require_whole(dir.file("copy.db"));
  }
  SECTION("and never in the place of what came meanwhile") {
    std::ofstream(dir.file("copy.db")) << "mine";
    const auto refused = copying.all();
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::refused);
    CHECK(std::filesystem::file_size(dir.file("copy.db")) == 4);
  }
}

TEST_CASE("what a maker that was killed left under another name goes with the next") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  const std::string copy = dir.file("copy.db");
  const pid_t nobody = ::fork();  // a process that no longer exists
  if (nobody == 0) ::_exit(0);
  REQUIRE(::waitpid(nobody, nullptr, 0) == nobody);
  const std::string left = copy + ".new-" + std::to_string(nobody);
  const std::string of_another = copy + ".new-" + std::to_string(::getppid());
  const std::string no_part = copy + ".new-year";
  for (const std::string& file : {left, left + "-journal", of_another, no_part}) {
    std::ofstream(file) << "half";
  }
  SECTION("copy") {
    REQUIRE(Copying(recorded.store->log(), copy, 4096).all().has_value());
  }
  SECTION("of those that are kept") {
    REQUIRE(KeptCopies::begin(copy, 3).has_value());
  }
  SECTION("that is put back") {
    const std::string other = dir.file("other.db");
    REQUIRE(Copying(recorded.store->log(), other, 4096).all().has_value());
    REQUIRE(restore_backup(other, copy).has_value());
  }
  CHECK_FALSE(std::filesystem::exists(left));
  CHECK_FALSE(std::filesystem::exists(left + "-journal"));
  CHECK(std::filesystem::exists(of_another));
  CHECK(std::filesystem::exists(no_part));
}

TEST_CASE("a copy of a log without a row has no events") {
  const TempDir dir;
  auto store = open_store(dir.file("broker.db"));
  const auto made = Copying(store->log(), dir.file("copy.db"), 4096).all();
  REQUIRE(made.has_value());
  CHECK(made->events == 0);
  CHECK(made->last_event == 0);
}

TEST_CASE("nothing that is put back leaves nothing behind, no lock either") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  CHECK_FALSE(restore_backup(dir.file("nothing.db"), path).has_value());
  CHECK_FALSE(std::filesystem::exists(path + ".lock"));
  CHECK_FALSE(std::filesystem::exists(path + ".commit"));
}

TEST_CASE("a stopped broker's database is a copy, though an empty log was left beside it") {
  const TempDir dir;
  {
    RecordedSite recorded(dir.file("broker.db"));
    recorded.begin();
  }
  std::ofstream(dir.file("broker.db-wal")).close();
  const auto restored = restore_backup(dir.file("broker.db"), dir.file("new.db"));
  INFO((restored ? "" : describe(restored.error())));
  CHECK(restored.has_value());
}

TEST_CASE("nothing is put back under a broker that still runs") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  const std::string copy = dir.file("copy.db");
  RecordedSite recorded(path);
  recorded.begin();
  REQUIRE(Copying(recorded.store->log(), copy, 4096).all().has_value());
  for (const char* end : {"", "-wal", "-shm"}) {
    std::filesystem::rename(path + end, dir.file(std::string("away") + end));
  }
  const auto refused = restore_backup(copy, path);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message.find("another broker uses") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a file that is there is left as it is") {
  const TempDir dir;
  std::ofstream(dir.file("copy.db")) << "mine";
  const auto refused = BackupFile::create(dir.file("copy.db"));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::refused);
  CHECK(std::filesystem::file_size(dir.file("copy.db")) == 4);
}

TEST_CASE("a copy is put back where nothing lies, and a broker goes on from it as an older one") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  const std::string copy = dir.file("copy.db");
  int64_t batches = 0;
  {
    RecordedSite recorded(path);
    recorded.begin();
    REQUIRE(Copying(recorded.store->log(), copy, 4096).all().has_value());
    recorded.flip_to_and_fro(2);
    batches = recorded.store->commit_number();
  }
  const auto there = restore_backup(copy, path);
  REQUIRE_FALSE(there.has_value());
  CHECK(there.error().code == ErrorCode::refused);
  std::filesystem::rename(path, dir.file("away.db"));
  std::ofstream(path + "-wal") << "of another database";
  CHECK_FALSE(restore_backup(copy, path).has_value());
  CHECK_FALSE(std::filesystem::exists(path));
  std::filesystem::remove(path + "-wal");
  const auto restored = restore_backup(copy, path);
  INFO((restored ? "" : describe(restored.error())));
  REQUIRE(restored.has_value());
  CHECK(restored->batch < batches);
  auto store = open_store(path);
  CHECK(store->database_older());
  CHECK(store->commit_number() == restored->batch);
}

TEST_CASE("a copy is taken for an older database unless the number beside it says that it is not") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  const std::string copy = dir.file("copy.db");
  const std::string there = dir.file("there.db");
  RecordedSite recorded(path);
  recorded.begin();
  REQUIRE(Copying(recorded.store->log(), copy, 4096).all().has_value());
  const auto is_older = [&] {
    REQUIRE(restore_backup(copy, there).has_value());
    return open_store(there)->database_older();
  };
  SECTION("on another machine, where there is none") {
    CHECK(is_older());
  }
  SECTION("where another database lay") {
    std::ofstream(there + ".commit") << "1                   \n";
    CHECK(is_older());
  }
  SECTION("with the broker's own, where nothing came after the copy") {
    std::filesystem::copy_file(path + ".commit", there + ".commit");
    CHECK_FALSE(is_older());
  }
  SECTION("with the broker's own, where it went on") {
    recorded.flip_to_and_fro(1);
    std::filesystem::copy_file(path + ".commit", there + ".commit");
    CHECK(is_older());
  }
}

TEST_CASE("a database in use is no copy: part of it may lie in its write-ahead log") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  const auto refused = restore_backup(dir.file("broker.db"), dir.file("new.db"));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message.find("leasectl backup") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(dir.file("new.db")));
}

TEST_CASE("a copy that was damaged since is not put back") {
  const TempDir dir;
  const std::string copy = dir.file("copy.db");
  {
    RecordedSite recorded(dir.file("broker.db"));
    recorded.begin();
    recorded.flip_to_and_fro(2);
    REQUIRE(Copying(recorded.store->log(), copy, 4096).all().has_value());
  }
  tamper(copy, "UPDATE log SET epoch = 7 WHERE first_event = 1");
  CHECK_FALSE(restore_backup(copy, dir.file("new.db")).has_value());
  CHECK_FALSE(std::filesystem::exists(dir.file("new.db")));
  CHECK_FALSE(restore_backup(dir.file("nothing.db"), dir.file("new.db")).has_value());
}
