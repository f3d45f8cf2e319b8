// Files that are opened without waiting, and refused where they are no regular files. A test that
// waits at a pipe ends by the bound of its program.
#include "common/files/regular_file.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/config/file.hpp"
#include "common/files/kept_file.hpp"
#include "common/files/lock_file.hpp"
#include "common/key.hpp"
#include "tests/support/own_folder.hpp"
#include "tests/support/pipes.hpp"

namespace leasehold {

namespace {

using Catch::Contains;
using test::make_pipe;
using test::OwnFolder;

std::string make_socket(const std::string& path) {
  const OpenFile made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(made.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return path;
}

template <class T>
std::string said(const Result<T>& result) {
  return result ? "" : describe(result.error());
}

TEST_CASE("what is no regular file is refused at once, by its name and as what it is") {
  const OwnFolder folder;
  const std::string file = folder.file("folder");
  std::filesystem::create_directory(file);
  struct Row {
    std::string path;
    const char* what;
  };
  for (const Row& row :
       {Row{make_pipe(folder.file("pipe")), "is a pipe"}, Row{file, "is a folder"},
        Row{make_socket(folder.file("socket")), "is a socket"}, Row{"/dev/null", "is a device"}}) {
    INFO(row.path);
    const std::string what = row.what + std::string(": a regular file is wanted");
    for (const int flags : {O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_RDWR | O_CREAT}) {
      CHECK(said(open_regular_file(row.path, flags, 0600)) == row.path + ": " + what);
    }
    CHECK(said(check_database_file(row.path)) == row.path + " " + what);
    CHECK(irregular_file(row.path) == what);
  }
}

TEST_CASE("a link to a pipe is a pipe") {
  const OwnFolder folder;
  std::filesystem::create_symlink(make_pipe(folder.file("pipe")), folder.file("link"));
  CHECK_THAT(said(open_regular_file(folder.file("link"), O_RDONLY)), Contains("is a pipe"));
}

TEST_CASE("a regular file is opened, and one that is missing is told from one that is denied") {
  const OwnFolder folder;
  const auto missing = open_regular_file(folder.file("none"), O_RDONLY);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::unknown);
  CHECK(missing.error().message == "cannot be read: No such file or directory");
  const auto homeless = open_regular_file(folder.file("no/file"), O_RDWR | O_CREAT, 0600);
  REQUIRE_FALSE(homeless);
  CHECK(homeless.error().code == ErrorCode::io);
  REQUIRE(open_regular_file(folder.file("new"), O_RDWR | O_CREAT, 0600));
  CHECK(open_regular_file(folder.file("new"), O_RDONLY));
  CHECK(check_database_file(folder.file("new")));
  CHECK(check_database_file(folder.file("none")));
}

TEST_CASE("a pipe beside a database is refused as one in its place is") {
  const OwnFolder folder;
  std::ofstream(folder.file("a.db")) << "x";
  const std::string log = make_pipe(folder.file("a.db-wal"));
  CHECK_THAT(said(check_database_file(folder.file("a.db"))), Contains(log + " is a pipe"));
}

TEST_CASE("a configuration that is a pipe is refused, and read where a person may name one") {
  const OwnFolder folder;
  const std::string pipe = make_pipe(folder.file("broker.toml"));
  const ConfigFile refused = ConfigFile::read(pipe);
  REQUIRE(refused.errors().size() == 1);
  CHECK(describe(refused.errors()[0]) == pipe + ": is a pipe: a regular file is wanted");
  std::thread writer([&] { std::ofstream(pipe) << "a = 1\n"; });
  const ConfigFile read = ConfigFile::read(pipe, Pipes::allowed);
  writer.join();
  CHECK(read.errors().empty());
  CHECK(read.root().integer("a", 0, {0, 9}) == 1);
}

TEST_CASE("a key file and a lock that are pipes are refused") {
  const OwnFolder folder;
  const std::string pipe = make_pipe(folder.file("pipe"));
  CHECK_THAT(said(read_key_file(pipe)), Contains("the key file " + pipe + " is a pipe"));
  CHECK_THAT(said(LockFile::take(pipe, "")), Contains(pipe + ": is a pipe"));
  CHECK_THAT(said(check_kept_file(pipe)), Contains(pipe + " is a pipe"));
}

}  // namespace

}  // namespace leasehold
