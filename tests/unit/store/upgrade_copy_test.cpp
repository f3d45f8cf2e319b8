// A database that another version made is copied before this one writes into it.
#include "broker/store/sqlite/upgrade_copy.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/version.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/tampered_log.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Records some flips, the newest rows of which are from the core before this one.
void record(const std::string& path, int core_version = kCoreVersion - 1) {
  {
    RecordedSite site(path);
    site.begin();
    site.flip_to_and_fro(4);
  }
  forge_rows(path, [&](LogRow& row) { row.core_version = core_version; });
}

std::vector<LogRow> rows(const std::string& path) {
  return detail::rows_of(path);
}

bool same_rows(const std::string& a, const std::string& b) {
  const auto one = rows(a);
  const auto other = rows(b);
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const LogRow& x, const LogRow& y) { return x.hash == y.hash; });
}

}  // namespace

TEST_CASE("what another version made is kept beside it, whole") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  record(path);
  const auto kept = keep_upgrade_copy(path);
  if (!kept) FAIL(describe(kept.error()));
  REQUIRE(*kept);
  CHECK((*kept)->path == path + ".core-" + std::to_string(kCoreVersion - 1));
  CHECK((*kept)->bytes > 0);
  CHECK(same_rows((*kept)->path, path));
  CHECK_FALSE(std::filesystem::exists((*kept)->path + ".part"));
}

TEST_CASE("what this version made is not copied, nor what is no broker's") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  CHECK(keep_upgrade_copy(path).value() == std::nullopt);
  record(path, kCoreVersion);
  CHECK(keep_upgrade_copy(path).value() == std::nullopt);
  const std::string other = dir.file("other.db");
  SQLite::Database db(other, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  db.exec("CREATE TABLE log(core_version, first_event)");
  db.exec("INSERT INTO log VALUES(1, 1)");
  CHECK(keep_upgrade_copy(other).value() == std::nullopt);
}

TEST_CASE("a copy that is there is not made again, one of another upgrade is") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  record(path);
  const std::string copy = keep_upgrade_copy(path).value()->path;
  CHECK(keep_upgrade_copy(path).value() == std::nullopt);
  std::filesystem::remove(path);
  {
    RecordedSite site(path);
    site.begin();
    site.flip_to_and_fro(9);
  }
  forge_rows(path, [](LogRow& row) { row.core_version = kCoreVersion - 1; });
  CHECK(keep_upgrade_copy(path).value());
  CHECK(same_rows(copy, path));
  std::ofstream(copy) << "not a database";
  CHECK(keep_upgrade_copy(path).value());
  CHECK(same_rows(copy, path));
}
