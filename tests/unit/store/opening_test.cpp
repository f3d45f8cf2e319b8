// Databases that cannot be opened or hold nothing, the messages about them, and the files that a
// reader leaves.
#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "broker/store/database.hpp"
#include "broker/store/postgres/session.hpp"
#include "broker/store/sqlite/commit_file.hpp"
#include "broker/store/sqlite/database_check.hpp"
#include "broker/store/sqlite/file_rights.hpp"
#include "broker/store/sqlite/log.hpp"
#include "broker/store/sqlite/upgrade_copy.hpp"
#include "tests/support/pipes.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;
using Catch::Contains;

namespace {

std::string recorded_at(const std::string& path) {
  RecordedSite site(path);
  site.begin();
  site.flip_to_and_fro(2);
  return path;
}

std::string said_to_reader(const std::string& path) {
  const auto refused = SqliteLog::open(path);
  REQUIRE_FALSE(refused.has_value());
  return describe(refused.error());
}

/// Lists the files that SQLite made beside the database.
std::vector<std::string> beside(const std::string& path) {
  std::vector<std::string> found;
  for (const char* end : {"-wal", "-shm", "-journal"}) {
    if (std::filesystem::exists(path + end)) found.emplace_back(end);
  }
  return found;
}

}  // namespace

TEST_CASE("an empty file is said to be empty, and what was committed to it") {
  const TempDir dir;
  const std::string path = dir.file("empty.db");
  std::ofstream(path).close();
  CHECK_THAT(said_to_reader(path), Contains("is empty") && !Contains("migrate"));
  std::ofstream(path + ".commit") << "679                 \n";
  CHECK_THAT(said_to_reader(path), Contains("is empty, though 679 commits were made to it") &&
                                       Contains("leasectl restore COPY " + path));
}

TEST_CASE("a folder and a socket are no databases, and said to be none") {
  const TempDir dir;
  const std::string folder = dir.file("folder");
  std::filesystem::create_directory(folder);
  CHECK_THAT(said_to_reader(folder), Contains(folder + " is a folder"));
  const auto broker = SqliteStore::open(folder, OpenMode::broker);
  REQUIRE_FALSE(broker.has_value());
  CHECK_THAT(broker.error().message, Contains("is a folder") && !Contains("the disk failed"));
  const std::string pipe = make_pipe(dir.file("pipe"));
  CHECK_THAT(fault_of_file(pipe, FileUse::read)->message, Contains("is a pipe: a regular file"));
  CHECK_THAT(said_to_reader(dir.file("nowhere/broker.db")), Contains("there is no folder"));
}

TEST_CASE("a database named in libpq's other form is refused by all, without the password in it") {
  const std::string name = "host=db user=u password=verysecret";
  const auto read = open_log(name);
  REQUIRE_FALSE(read.has_value());
  const auto written = SqliteStore::open(name, OpenMode::broker);
  REQUIRE_FALSE(written.has_value());
  for (const Error& error : {read.error(), written.error()}) {
    CHECK(error.code == ErrorCode::usage);
    CHECK_THAT(describe(error), Contains("postgresql://USER@HOST/NAME") && !Contains("verysecret"));
  }
  CHECK_FALSE(std::filesystem::exists(name));
}

TEST_CASE("a pipe in the place of a database, or beside it, is refused at once by all") {
  const TempDir dir;
  const std::string refused = " is a pipe: a regular file is wanted";
  const std::string pipe = make_pipe(dir.file("pipe.db"));
  const std::string path = recorded_at(dir.file("broker.db"));
  const std::string log = make_pipe(path + "-wal");
  for (const auto& [database, named] : {std::pair(pipe, pipe), std::pair(path, log)}) {
    INFO(named);
    CHECK_THAT(said_to_reader(database), Contains(named + refused));
    const auto broker = SqliteStore::open(database, OpenMode::broker);
    REQUIRE_FALSE(broker.has_value());
    CHECK_THAT(describe(broker.error()), Contains(named + refused));
    const auto checked = check_database(database, 1000);
    REQUIRE_FALSE(checked.has_value());
    CHECK_THAT(describe(checked.error()), Contains(named + refused));
    const auto kept = keep_upgrade_copy(database);
    REQUIRE_FALSE(kept.has_value());
    CHECK_THAT(describe(kept.error()), Contains(named + refused));
  }
}

TEST_CASE("a pipe in the place of the number of commits or of the lock is refused at once") {
  const TempDir dir;
  const std::string path = recorded_at(dir.file("broker.db"));
  for (const std::string end : {".commit", ".lock"}) {
    std::filesystem::remove(path + end);
    make_pipe(path + end);
    const auto broker = SqliteStore::open(path, OpenMode::broker);
    REQUIRE_FALSE(broker.has_value());
    CHECK_THAT(describe(broker.error()), Contains(path + end + ": is a pipe"));
    if (end == ".commit") CHECK_FALSE(number_beside(path));
    std::filesystem::remove(path + end);
  }
}

TEST_CASE("a certificate of a database on a server that is a pipe is refused at once") {
  const TempDir dir;
  const std::string pipe = make_pipe(dir.file("root.crt"));
  const auto session = PostgresSession::open("postgresql://127.0.0.1:1/l?sslrootcert=" + pipe,
                                             PostgresSession::Use::to_read);
  REQUIRE_FALSE(session.has_value());
  CHECK(session.error().message == pipe + " is a pipe: a regular file is wanted");
}

TEST_CASE("where nothing keeps this user from a database, the file system has no fault") {
  const TempDir dir;
  const std::string path = recorded_at(dir.file("broker.db"));
  CHECK_FALSE(fault_of_file(path, FileUse::read));
  CHECK_FALSE(fault_of_file(path, FileUse::write));
}

TEST_CASE("reading a database that nobody uses leaves nothing beside it and changes nothing") {
  const TempDir dir;
  const std::string path = recorded_at(dir.file("broker.db"));
  REQUIRE(beside(path).empty());
  std::ifstream before(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(before)), {});
  {
    const auto log = reader(path);
    const auto other = reader(path);
    CHECK(log->first_event().value() == 1);
    CHECK(other->first_event().value() == 1);
  }
  CHECK(beside(path).empty());
  std::ifstream after(path, std::ios::binary);
  CHECK(bytes == std::string((std::istreambuf_iterator<char>(after)), {}));
}

TEST_CASE("a reader that came first leaves the log to the broker that came after it") {
  const TempDir dir;
  const std::string path = recorded_at(dir.file("broker.db"));
  auto log = reader(path);
  CHECK(log->first_event().value() == 1);
  {
    auto store = open_store(path);
    log.reset();
    CHECK_FALSE(beside(path).empty());
    CHECK(reader(path)->first_event().value() == 1);
  }
  CHECK(beside(path).empty());
}

TEST_CASE("a database of a schema that is not known is refused before it is looked through") {
  const TempDir dir;
  const std::string path = recorded_at(dir.file("broker.db"));
  for (const int schema : {3, 99}) {
    SQLite::Database(path, SQLite::OPEN_READWRITE)
        .exec("PRAGMA user_version = " + std::to_string(schema));
    const auto checked = check_database(path, 60'000);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error().code == ErrorCode::version);
    CHECK(checked.error().file == path);
    CHECK_THAT(checked.error().message, Contains("schema " + std::to_string(schema)));
  }
}
