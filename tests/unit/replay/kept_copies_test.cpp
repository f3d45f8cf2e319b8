// A series of copies: the newest has the name, and a good one is never lost.
#include "broker/replay/kept_copies.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "broker/replay/backup_file.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/log/ends.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kHour = 3'600'000;

Result<BackupMade> make_copy(SqliteStore& store, const std::string& path) {
  Result<BackupFile> file = BackupFile::create(path);
  if (!file) return tl::unexpected(file.error());
  while (!file->is_complete()) {
    const Result<Json> page = backup_page(store.log(), file->place());
    if (!page) return tl::unexpected(page.error());
    if (Status added = file->add(*page); !added) return tl::unexpected(added.error());
  }
  return file->finish();
}

Status keep(SqliteStore& store, const std::string& path, int64_t most) {
  Result<KeptCopies> copies = KeptCopies::begin(path, most);
  if (!copies) return tl::unexpected(copies.error());
  const auto made = make_copy(store, copies->coming());
  if (!made) return tl::unexpected(made.error());
  Status taken = copies->take();
  if (!taken) copies->drop();
  return taken;
}

int64_t end_of(const std::string& path) {
  const auto log = reader(path);
  REQUIRE(verify(*log)->ok());
  return read_end(*log)->last_event;
}

/// Returns the file and those beside it whose names begin with its own, without the lock.
std::vector<std::string> names(const std::filesystem::path& file) {
  const std::string prefix = file.filename();
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path())) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && !name.ends_with(".lock")) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("the newest copy has the name, those before it follow, and the oldest go") {
  const TempDir dir;
  const std::string copy = dir.file("copy.db");
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  std::vector<int64_t> ends;
  for (int i = 0; i < 5; ++i) {
    recorded.flip_to_and_fro(1);
    REQUIRE(keep(*recorded.store, copy, 3));
    ends.push_back(recorded.store->last_event());
    CHECK(end_of(copy) == ends.back());
  }
  CHECK(names(copy) == std::vector<std::string>{"copy.db", "copy.db.1", "copy.db.2"});
  CHECK(end_of(copy + ".1") == ends[3]);
  CHECK(end_of(copy + ".2") == ends[2]);
  recorded.flip_to_and_fro(1);
  REQUIRE(keep(*recorded.store, copy, 1));
  CHECK(names(copy) == std::vector<std::string>{"copy.db"});
  CHECK(end_of(copy) == recorded.store->last_event());
}

TEST_CASE("what retention has removed since keeps no copy from being followed by the next") {
  const TempDir dir;
  const std::string copy = dir.file("copy.db");
  RecordedSite recorded(dir.file("broker.db"), one_pool(2, 4), OpenMode::broker,
                        StoreOptions{Retention{8 * kHour, 0}, {}, {}});
  recorded.begin();
  recorded.flip_to_and_fro(3);
  REQUIRE(keep(*recorded.store, copy, 2));
  recorded.flip_to_and_fro(150);
  REQUIRE(keep(*recorded.store, copy, 2));
  CHECK(end_of(copy) == recorded.store->last_event());
}

TEST_CASE("a broker that began anew, or from an older database, pushes no copy out") {
  const TempDir dir;
  const std::string copy = dir.file("copy.db");
  const std::string older = dir.file("older.db");
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  recorded.flip_to_and_fro(2);
  REQUIRE(make_copy(*recorded.store, older));
  recorded.flip_to_and_fro(2);
  REQUIRE(keep(*recorded.store, copy, 2));
  const int64_t end = end_of(copy);
  RecordedSite other(dir.file("other.db"), one_pool(2, 3));
  SECTION("anew, and has less") {
    other.begin();
  }
  SECTION("anew, and has more") {
    other.begin();
    other.flip_to_and_fro(10);
  }
  SECTION("from an older one") {
    other.store = open_store(older);
  }
  const Status kept = keep(*other.store, copy, 2);
  REQUIRE_FALSE(kept);
  CHECK(kept.error().code == ErrorCode::refused);
  CHECK(kept.error().message.find("does not go on from " + copy) != std::string::npos);
  CHECK(end_of(copy) == end);
  CHECK(names(copy) == std::vector<std::string>{"copy.db"});
  std::filesystem::rename(copy, dir.file("away.db"));
  CHECK(keep(*other.store, copy, 2));
}

TEST_CASE("a copy that cannot be made whole leaves those that are there, and nothing of itself") {
  const TempDir dir;
  const std::string copy = dir.file("copy.db");
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  REQUIRE(keep(*recorded.store, copy, 2));
  const int64_t end = end_of(copy);
  recorded.flip_to_and_fro(5);
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit none { 30'000, before.rlim_max };
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &none) == 0);
  const Status kept = keep(*recorded.store, copy, 2);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  REQUIRE_FALSE(kept);
  CHECK(end_of(copy) == end);
  CHECK(names(copy) == std::vector<std::string>{"copy.db"});
}

TEST_CASE("what a maker that was killed left is removed by the next, and one alone makes copies") {
  const TempDir dir;
  const std::string copy = dir.file("copy.db");
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  for (const char* end : {".next", ".next.new-17", ".next.new-17-journal"}) {
    std::ofstream(copy + end) << "half";
  }
  REQUIRE(keep(*recorded.store, copy, 2));
  CHECK(names(copy) == std::vector<std::string>{"copy.db"});
  const auto mine = KeptCopies::begin(copy, 2);
  REQUIRE(mine);
  const Status kept = keep(*recorded.store, copy, 2);
  REQUIRE_FALSE(kept);
  CHECK(kept.error().message.find("another copy is made") != std::string::npos);
}

TEST_CASE("a broker's own database is not taken for a copy, nor is what is no database") {
  const TempDir dir;
  {
    RecordedSite recorded(dir.file("broker.db"));
    recorded.begin();
    CHECK_FALSE(KeptCopies::begin(dir.file("broker.db"), 2));
  }
  CHECK_FALSE(KeptCopies::begin(dir.file("broker.db"), 2));  // its .commit exists
  RecordedSite recorded(dir.file("other.db"));
  recorded.begin();
  std::ofstream(dir.file("letter")) << "mine";
  CHECK_FALSE(keep(*recorded.store, dir.file("letter"), 2));
  CHECK(std::filesystem::file_size(dir.file("letter")) == 4);
}
