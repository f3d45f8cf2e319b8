#include "common/files/kept_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace leasehold;

namespace {

struct Folder {
  std::string path = "/tmp/leasehold-kept-XXXXXX";
  Folder() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
  ~Folder() { std::filesystem::remove_all(path); }
};

std::string said(const Status& status) {
  return status ? "" : status.error().message;
}

}  // namespace

TEST_CASE("names that keep nothing are no names of a file") {
  CHECK(kept_name_fault("leasehold.db").empty());
  CHECK(kept_name_fault("a:memory:").empty());
  CHECK_THAT(kept_name_fault(":memory:"), Catch::Contains("keeps nothing"));
  CHECK_THAT(kept_name_fault("file:x?mode=memory"), Catch::Contains("keeps nothing"));
  CHECK_THAT(kept_name_fault("var/"), Catch::Contains("is a folder"));
}

TEST_CASE("links in a circle and files of /proc were called good, which no start could open") {
  const Folder folder;
  std::filesystem::create_symlink(folder.path + "/b", folder.path + "/a");
  std::filesystem::create_symlink(folder.path + "/a", folder.path + "/b");
  CHECK_THAT(said(check_kept_file(folder.path + "/a")),
             Catch::Contains("/a cannot be opened: Too many levels of symbolic links"));
  CHECK_FALSE(check_kept_file(folder.path + "/a/leasehold.db"));
  CHECK_FALSE(check_kept_file(folder.path + "/" + std::string(300, 'n')));
  for (const char* kernels : {"/proc/version", "/proc/leasehold.db", "/sys/leasehold.db"}) {
    INFO(kernels);
    CHECK_FALSE(check_kept_file(kernels));
  }
  std::filesystem::create_symlink("/proc/leasehold.db", folder.path + "/to-proc");
  CHECK_FALSE(check_kept_file(folder.path + "/to-proc"));
  CHECK_FALSE(check_kept_folder("/proc/socket"));
  std::filesystem::create_symlink("no/where.db", folder.path + "/to-nowhere");
  CHECK_THAT(said(check_kept_file(folder.path + "/to-nowhere")),
             Catch::Contains("there is no folder " + folder.path + "/no"));
  std::filesystem::create_symlink("new.db", folder.path + "/to-new");
  CHECK(check_kept_file(folder.path + "/to-new"));
  CHECK_FALSE(std::filesystem::exists(folder.path + "/new.db"));
}

TEST_CASE("a text in the place of a database was called good, which no start could open") {
  const Folder folder;
  const std::string path = folder.path + "/broker.toml";
  CHECK(check_kept_database(path));
  std::ofstream(path) << "";
  CHECK(check_kept_database(path));
  std::ofstream(path) << "[broker]\nname = \"campus\"\n";
  CHECK_THAT(said(check_kept_database(path)), Catch::Contains("is no SQLite database"));
  std::ofstream(path) << std::string("SQLite format 3\0and pages", 25);
  CHECK(check_kept_database(path));
}

TEST_CASE("a file that cannot be kept is refused before it is opened, and nothing is made") {
  const Folder folder;
  CHECK(check_kept_file(folder.path + "/new.db"));
  CHECK_FALSE(std::filesystem::exists(folder.path + "/new.db"));
  CHECK_THAT(said(check_kept_file(folder.path)), Catch::Contains("is a folder"));
  CHECK_THAT(said(check_kept_file(folder.path + "/no/new.db")),
             Catch::Contains("there is no folder " + folder.path + "/no"));
  REQUIRE(::mkfifo((folder.path + "/pipe").c_str(), 0600) == 0);
  CHECK_THAT(said(check_kept_file(folder.path + "/pipe")),
             Catch::Contains("is a pipe: a regular file is wanted"));
  std::ofstream(folder.path + "/a.db") << "x";
  CHECK(check_kept_file(folder.path + "/a.db"));
  CHECK(check_kept_folder(folder.path + "/socket"));
  if (::geteuid() == 0) return;  // root may write everywhere
  REQUIRE(::chmod((folder.path + "/a.db").c_str(), 0400) == 0);
  CHECK_THAT(said(check_kept_file(folder.path + "/a.db")), Catch::Contains("cannot be read and"));
  REQUIRE(::chmod(folder.path.c_str(), 0500) == 0);
  CHECK_THAT(said(check_kept_file(folder.path + "/b.db")), Catch::Contains("cannot be made in"));
  REQUIRE(::chmod(folder.path.c_str(), 0700) == 0);
}
