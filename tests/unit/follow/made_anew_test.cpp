// The file of readable tables is replaced as a whole, whatever lies there and however its maker
// ends; no other file is ever removed.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

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

/// Returns the names in the folder that begin like the file's.
std::vector<std::string> names_beside(const std::string& file) {
  const std::filesystem::path whole(file);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(whole.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(whole.filename().string())) names.push_back(name);
  }
  return names;
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
    {"cut off", [](const std::string& file) { std::filesystem::resize_file(file, 8192); }},
    {"of another schema",
     [](const std::string& file) { change(file, "UPDATE follows SET schema = schema + 1"); }},
};

/// A log, tables of it, and flips that happened since.
struct Older : Followed {
  Older() {
    recorded.begin();
    before = make().last_event;
    recorded.flip_to_and_fro(4);
  }
  bool has_old_tables() const {
    return number_of(file, "SELECT last_event FROM follows") == before &&
           rows_of(file, "PRAGMA integrity_check") == Lines{"ok"};
  }
  RecordedSite recorded{log};
  int64_t before = 0;
};

}  // namespace

TEST_CASE("a file that is deleted, torn or of something else is made anew") {
  const Older at;
  for (const Harm& harm : kHarms) {
    INFO(harm.what);
    harm.done(at.file);
    at.make();
    require_same(at.file, at.log, at.recorded.site.state);
  }
}

// Its -wal was taken for that of the new file, which was torn then.
TEST_CASE("a file that an earlier broker kept is replaced, also after it was killed") {
  const Older at;
  const std::string wal = at.file + "-wal";
  std::optional<SQLite::Database> reader;
  {
    SQLite::Database old(at.file, SQLite::OPEN_READWRITE);
    old.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
    old.exec("DELETE FROM event; CREATE TABLE of_before (id); PRAGMA user_version = 7");
    std::filesystem::copy_file(at.file, at.file + ".kept");
    std::filesystem::copy_file(wal, wal + ".kept");
  }
  std::filesystem::rename(at.file + ".kept", at.file);
  std::filesystem::rename(wal + ".kept", wal);  // as after a kill
  SECTION("nobody reads it") {}
  SECTION("somebody reads it") {
    reader.emplace(at.file, SQLite::OPEN_READONLY);
    SQLite::Statement query(*reader, "SELECT count(*) FROM follows");
    REQUIRE(query.executeStep());
  }
  at.make();
  require_same(at.file, at.log, at.recorded.site.state);
  CHECK(rows_of(at.file, "PRAGMA integrity_check") == Lines{"ok"});
  CHECK(number_of(at.file, "SELECT count(*) FROM sqlite_schema WHERE name = 'of_before'") == 0);
  CHECK(names_beside(at.file) == std::vector<std::string>{"leasehold.db.state"});
}

TEST_CASE("whoever reads the old tables goes on with them") {
  const Older at;
  SQLite::Database reader(at.file, SQLite::OPEN_READONLY);
  SQLite::Statement query(reader, "SELECT id FROM event");
  REQUIRE(query.executeStep());
  at.make();
  int64_t events = 1;
  while (query.executeStep()) ++events;
  CHECK(events == at.before);
  require_same(at.file, at.log, at.recorded.site.state);
}

TEST_CASE("a maker that is killed leaves the old tables, and the next one makes new ones") {
  const Older at;
  const pid_t maker = ::fork();
  if (maker == 0) {
    const auto killed = [&at](int64_t done, int64_t) {
      return done == 0 || ::kill(::getpid(), SIGKILL) == 0;
    };
    (void)make_tables({at.log, "", 0, killed});
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(maker, &status, 0) == maker);
  REQUIRE(WIFSIGNALED(status));
  CHECK(at.has_old_tables());
  CHECK(names_beside(at.file).size() == 2);
  at.make();
  require_same(at.file, at.log, at.recorded.site.state);
}

TEST_CASE("a maker that gives up leaves the old tables and nothing of its own") {
  const Older at;
  CHECK_FALSE(make_tables({at.log, "", 0, [](int64_t, int64_t) { return false; }}));
  CHECK(at.has_old_tables());
  CHECK(names_beside(at.file).size() == 1);
}

TEST_CASE("a full disk leaves the old tables and nothing of the new ones") {
  const Older at;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{30'000, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
  const auto made = make_tables({at.log, ""});
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  REQUIRE_FALSE(made);
  CHECK_THAT(describe(made.error()), Catch::Contains(at.file));
  CHECK(at.has_old_tables());
  CHECK(names_beside(at.file).size() == 1);
}

TEST_CASE("where little is free nothing is written") {
  const Older at;
  const auto made = make_tables({at.log, "", INT64_MAX});
  REQUIRE_FALSE(made);
  CHECK_THAT(made.error().message, Catch::Contains("MiB are free"));
  CHECK(at.has_old_tables());
}

TEST_CASE("a folder or a pipe in the place of the tables stays, and is named") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  SECTION("a folder") {
    std::filesystem::create_directory(at.file);
    CHECK_THAT(make_tables({at.log, ""}).error().message, Catch::Contains(at.file));
    CHECK(std::filesystem::is_directory(at.file));
  }
  SECTION("a pipe") {
    make_pipe(at.file);
    CHECK_THAT(make_tables({at.log, ""}).error().message, Catch::Contains(at.file + " is a pipe"));
    CHECK(std::filesystem::is_fifo(at.file));
  }
}

TEST_CASE("tables are all there, and replace nothing that is not such tables") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  recorded.flip_to_and_fro(2);
  int64_t last_done = 0;
  int64_t last_total = -1;
  const auto report_progress = [&](int64_t done, int64_t total) {
    last_done = done;
    last_total = total;
    return true;
  };
  const auto made = make_tables({at.log, "", 0, report_progress});
  REQUIRE(made.has_value());
  CHECK(made->file == at.file);
  CHECK(made->events == number_of(at.file, "SELECT count(*) FROM event"));
  CHECK(made->last_event == number_of(at.file, "SELECT max(id) FROM event"));
  CHECK(last_done == made->events);
  CHECK(last_total == made->events);
  require_same(at.file, at.log, recorded.site.state);
  CHECK(make_tables({at.log, at.file}).has_value());
  const std::string letter = at.dir.file("letter.txt");
  write_text(letter, "dear all");
  CHECK(make_tables({at.log, letter}).error().code == ErrorCode::refused);
  CHECK(make_tables({at.log, at.log}).error().code == ErrorCode::refused);
  CHECK_FALSE(make_tables({at.file, at.dir.file("new")}).has_value());
  CHECK_FALSE(make_tables({letter, at.dir.file("new")}).has_value());
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
  at.make();
  CHECK_FALSE(std::filesystem::exists(left));
  CHECK_FALSE(std::filesystem::exists(another));
  CHECK(std::filesystem::exists(under_way));
}
