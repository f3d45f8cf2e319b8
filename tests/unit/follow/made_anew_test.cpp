// A file that does not continue the log is made again, whatever is wrong with it; no other file is
// ever removed.
#include <catch2/catch.hpp>
#include <fstream>

#include "broker/follow/make_tables.hpp"
#include "tests/support/pipes.hpp"
#include "tests/unit/follow/followed.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::trunc) << text;
}

void damage(const std::string& path, int64_t from, int64_t bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(from);
  for (int64_t i = 0; i < bytes; ++i) file.put(static_cast<char>(i * 37 + 11));
}

void change(const std::string& path, const std::string& sql) {
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec(sql);
}

struct Harm {
  const char* what;
  std::function<void(const std::string& file)> done;
};
const Harm kHarms[] = {
    {"deleted", [](const std::string& file) { std::filesystem::remove(file); }},
    {"empty", [](const std::string& file) { write_text(file, ""); }},
    {"text", [](const std::string& file) { write_text(file, "no database at all, a text"); }},
    {"torn", [](const std::string& file) { damage(file, 5000, 20'000); }},
    {"torn where nothing is written",
     [](const std::string& file) {
       damage(file, static_cast<int64_t>(std::filesystem::file_size(file)) - 12'000, 10'000);
     }},
    {"cut off", [](const std::string& file) { std::filesystem::resize_file(file, 8192); }},
    {"of another schema",
     [](const std::string& file) { change(file, "UPDATE follows SET schema = schema + 1"); }},
    {"of another row",
     [](const std::string& file) { change(file, "UPDATE follows SET batch = batch + 1"); }},
    {"of another history",
     [](const std::string& file) {
       change(file, "UPDATE follows SET hash = replace(hash, substr(hash, 1, 1), 'g')");
     }},
    {"inside of a commit",
     [](const std::string& file) { change(file, "UPDATE follows SET last_event = 2"); }},
    {"ahead",
     [](const std::string& file) {
       change(file, "UPDATE follows SET last_event = last_event + 1000");
     }},
    {"a copy, which may be an earlier one",
     [](const std::string& file) {
       std::filesystem::copy_file(file, file + ".copy");
       std::filesystem::rename(file + ".copy", file);
     }},
    {"never written to", [](const std::string& file) { change(file, "DELETE FROM follows"); }},
};

}  // namespace

TEST_CASE("a file that is deleted, torn or of something else is made anew") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.batch = 4;
  recorded.begin();
  recorded.flip_to_and_fro(8);
  for (const Harm& harm : kHarms) {
    INFO(harm.what);
    at.catch_up();
    change(at.file, "CREATE TABLE the_old_one (id)");
    harm.done(at.file);
    at.catch_up();
    require_same(at.file, at.log, recorded.site.state);
    CHECK(number_of(at.file, "SELECT count(*) FROM sqlite_schema WHERE name = 'the_old_one'") == 0);
  }
}

TEST_CASE("a file of another log is made anew") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  const Followed other;
  RecordedSite another(other.log, one_pool(3, 4));
  another.begin(3);
  another.flip_to_and_fro(1);
  other.catch_up();
  std::filesystem::copy_file(other.file, at.file);
  at.catch_up();
  require_same(at.file, at.log, recorded.site.state);
}

TEST_CASE("a file that is ahead of a log which was put back is made anew") {
  const Followed at;
  const std::string old = at.dir.file("old.db");
  auto recorded = std::make_unique<RecordedSite>(at.log);
  recorded->begin();
  copy_to(*recorded->store, old);
  recorded->flip_to_and_fro(4);
  LogToTables tables(at.options());
  at.catch_up(tables);
  recorded.reset();
  std::filesystem::remove(at.log + "-wal");
  std::filesystem::remove(at.log + "-shm");
  std::filesystem::rename(old, at.log);
  RecordedSite again(at.log);
  again.site.add_hosts("east", 2, 4);
  again.start();
  again.connect();
  SECTION("the same object") {
    at.catch_up(tables);
  }
  SECTION("another process") {
    at.catch_up();
  }
  require_same(at.file, at.log, again.site.state);
}

TEST_CASE("an earlier copy beside a newer write-ahead log is made anew") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  at.catch_up();
  change(at.file, "CREATE TABLE of_the_copy (id)");
  change(at.file, "VACUUM INTO '" + at.file + ".copy'");
  const std::string wal = at.file + "-wal";
  {
    LogToTables tables(at.options());
    recorded.flip_to_and_fro(2);
    at.catch_up(tables);
    std::filesystem::copy_file(wal, wal + ".kept");
  }
  std::filesystem::rename(at.file + ".copy", at.file);
  std::filesystem::rename(wal + ".kept", wal);  // as after a kill
  recorded.flip_to_and_fro(2);
  at.catch_up();
  require_same(at.file, at.log, recorded.site.state);
  CHECK(number_of(at.file, "SELECT count(*) FROM sqlite_schema WHERE name = 'of_the_copy'") == 0);
}

TEST_CASE("a file that is deleted or replaced while it is written comes back") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  LogToTables tables(at.options());
  CHECK(tables.lost());
  at.catch_up(tables);
  CHECK_FALSE(tables.lost());
  SECTION("deleted") {
    std::filesystem::remove(at.file);
  }
  SECTION("replaced") {
    std::filesystem::copy_file(at.file, at.file + ".copy");
    std::filesystem::rename(at.file + ".copy", at.file);
  }
  SECTION("replaced by an earlier copy") {
    recorded.flip_to_and_fro(2);
    change(at.file, "VACUUM INTO '" + at.file + ".copy'");
    at.catch_up(tables);
    std::filesystem::rename(at.file + ".copy", at.file);
  }
  SECTION("emptied") {
    write_text(at.file, "");
  }
  SECTION("its write-ahead log deleted: nobody else could read it") {
    std::filesystem::remove(at.file + "-wal");
  }
  SECTION("replaced by text") {
    write_text(at.file + ".copy", "a text");
    std::filesystem::rename(at.file + ".copy", at.file);
  }
  CHECK(tables.lost());
  recorded.flip_to_and_fro(2);
  at.catch_up(tables);
  CHECK_FALSE(tables.lost());
  require_same(at.file, at.log, recorded.site.state);
}

TEST_CASE("what cannot be written is told, and written when it can be") {
  Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  LogToTables tables(at.options());
  SECTION("a folder lies there") {
    std::filesystem::create_directory(at.file);
    CHECK_THAT(tables.step().error().message, Catch::Contains(at.file));
    std::filesystem::remove(at.file);
  }
  SECTION("a pipe lies there") {
    make_pipe(at.file);
    CHECK_THAT(tables.step().error().message, Catch::Contains(at.file + " is a pipe"));
    CHECK(std::filesystem::is_fifo(at.file));
    std::filesystem::remove(at.file);
  }
  SECTION("another program writes") {
    at.catch_up(tables);
    SQLite::Database other(at.file, SQLite::OPEN_READWRITE);
    SQLite::Transaction held(other, SQLite::TransactionBehavior::IMMEDIATE);
    recorded.flip_to_and_fro(2);
    CHECK_THAT(tables.step().error().message, Catch::Contains("locked"));
  }
  recorded.flip_to_and_fro(2);
  at.catch_up(tables);
  require_same(at.file, at.log, recorded.site.state);
}

TEST_CASE("where little is free nothing is written") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  TablesOptions options = at.options();
  options.least_free_bytes = INT64_MAX;
  LogToTables tables(options);
  CHECK_THAT(tables.step().error().message, Catch::Contains("MiB are free"));
  CHECK_FALSE(std::filesystem::exists(at.file));
}

TEST_CASE("tables made at once are all there, and replace nothing that is not such tables") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  recorded.flip_to_and_fro(2);
  int64_t last_done = 0;
  int64_t last_total = -1;
  const auto made = make_tables(at.log, "", [&](int64_t done, int64_t total) {
    last_done = done;
    last_total = total;
  });
  REQUIRE(made.has_value());
  CHECK(made->file == at.file);
  CHECK(made->events == number_of(at.file, "SELECT count(*) FROM event"));
  CHECK(made->last_event == number_of(at.file, "SELECT max(id) FROM event"));
  CHECK(last_done == made->events);
  CHECK(last_total == made->events);
  require_same(at.file, at.log, recorded.site.state);
  CHECK(make_tables(at.log, at.file, {}).has_value());
  const std::string letter = at.dir.file("letter.txt");
  write_text(letter, "dear all");
  CHECK(make_tables(at.log, letter, {}).error().code == ErrorCode::refused);
  CHECK(make_tables(at.log, at.log, {}).error().code == ErrorCode::refused);
  CHECK_FALSE(make_tables(at.file, at.dir.file("new"), {}).has_value());
  CHECK_FALSE(make_tables(letter, at.dir.file("new"), {}).has_value());
  CHECK(std::filesystem::file_size(letter) == 8);
  CHECK_FALSE(std::filesystem::exists(at.dir.file("new")));
}

TEST_CASE("tables of a program that was killed while it made them do not stay for ever") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  const std::string left = at.file + ".new-4711";
  const std::string another = at.file + ".new-4712-wal";
  const std::string under_way = at.file + ".new-4713";
  for (const std::string& file : {left, another, under_way}) write_text(file, "half of it");
  const auto yesterday = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
  std::filesystem::last_write_time(left, yesterday);
  std::filesystem::last_write_time(another, yesterday);
  REQUIRE(make_tables(at.log, "", {}).has_value());
  CHECK_FALSE(std::filesystem::exists(left));
  CHECK_FALSE(std::filesystem::exists(another));
  CHECK(std::filesystem::exists(under_way));
}
