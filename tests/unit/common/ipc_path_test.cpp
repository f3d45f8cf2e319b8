// A channel may listen at ipc://PATH only if that takes nothing away: what lies there is neither
// removed nor taken from a process that listens.
#include "common/channel/ipc_path.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "common/channel/channel.hpp"
#include "common/channel/endpoint.hpp"
#include "common/files/open_file.hpp"
#include "tests/support/own_folder.hpp"

namespace leasehold {

namespace {

using Catch::Contains;
using std::string_literals::operator""s;
using test::OwnFolder;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

OpenFile unix_socket(int kind) {
  OpenFile made(::socket(AF_UNIX, kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  REQUIRE(made.fd() >= 0);
  return made;
}

/// Bound to the path, which stays when the socket is closed.
OpenFile bound(const std::string& path, int kind = SOCK_STREAM) {
  OpenFile made = unix_socket(kind);
  const sockaddr_un address = address_of(path);
  REQUIRE(::bind(made.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return made;
}

OpenFile listening(const std::string& path, int backlog) {
  OpenFile made = bound(path);
  REQUIRE(::listen(made.fd(), backlog) == 0);
  return made;
}

std::string refusal(const std::string& path) {
  const auto channel = Channel::listen("ipc://" + path);
  return channel ? "" : channel.error().message;
}

/// A process that listens at the path and is stopped by a signal, until this object ends.
class StoppedListener {
 public:
  explicit StoppedListener(const std::string& path) : listener_(listening(path, 8)) {
    process_ = ::fork();
    if (process_ == 0) {
      ::raise(SIGSTOP);
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(process_, &status, WUNTRACED) == process_);
    REQUIRE(WIFSTOPPED(status));
    listener_ = OpenFile();  // from here on the stopped process alone has the socket
  }
  StoppedListener(const StoppedListener&) = delete;
  StoppedListener& operator=(const StoppedListener&) = delete;
  ~StoppedListener() { end(); }
  void end() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  OpenFile listener_;
  pid_t process_ = 0;
};

TEST_CASE("a channel listens where nothing lies") {
  const OwnFolder folder;
  CHECK(check_ipc_free(folder.file("new")));
  CHECK(refusal(folder.file("new")).empty());
}

TEST_CASE("any user was an admin at an abstract ipc name") {
  for (const std::string& name :
       {"@leasehold-ipc-test-" + std::to_string(::getpid()), "*"s, "@"s}) {
    INFO(name);
    CHECK_THAT(refusal(name), Contains("is no path"));
    CHECK_FALSE(parse_endpoint("ipc://" + name));
  }
}

TEST_CASE("a socket that nobody listens at is taken") {
  const OwnFolder folder;
  bound(folder.file("stream"));
  listening(folder.file("listened"), 1);
  bound(folder.file("datagrams"), SOCK_DGRAM);
  for (const char* name : {"stream", "listened", "datagrams"}) {
    INFO(name);
    REQUIRE(std::filesystem::is_socket(folder.file(name)));
    CHECK(refusal(folder.file(name)).empty());
  }
}

TEST_CASE("a socket that another process listens at is not taken from it") {
  const OwnFolder folder;
  const std::string path = folder.file("broker");
  const Channel first = Channel::listen("ipc://" + path).value();
  const auto identity = identity_of(path);
  CHECK_THAT(refusal(path), Contains("another process listens at " + path));
  CHECK(check_ipc_path(path));
  CHECK(identity_of(path) == identity);
}

TEST_CASE("a socket whose listener takes no more connections is not taken from it") {
  const OwnFolder folder;
  const std::string path = folder.file("full");
  const OpenFile listener = listening(path, 0);
  const sockaddr_un address = address_of(path);
  std::vector<OpenFile> waiting;
  int error = 0;
  while (error == 0) {
    waiting.push_back(unix_socket(SOCK_STREAM));
    const auto* to = reinterpret_cast<const sockaddr*>(&address);
    error = ::connect(waiting.back().fd(), to, sizeof address) == 0 ? 0 : errno;
  }
  REQUIRE(error == EAGAIN);
  CHECK_THAT(refusal(path), Contains("another process listens at " + path));
}

TEST_CASE("a socket that somebody reads datagrams from is not taken from him") {
  const OwnFolder folder;
  const OpenFile reader = bound(folder.file("datagrams"), SOCK_DGRAM);
  CHECK_THAT(refusal(folder.file("datagrams")), Contains("another process listens at"));
}

TEST_CASE("a process that is stopped by a signal listens, until it ends") {
  const OwnFolder folder;
  const std::string path = folder.file("stopped");
  StoppedListener stopped(path);
  CHECK_THAT(refusal(path), Contains("another process listens at " + path));
  stopped.end();
  CHECK(refusal(path).empty());
}

TEST_CASE("a file that is no socket is refused and stays as it is") {
  const OwnFolder folder;
  const std::string file = folder.file("precious");
  std::ofstream(file) << "results of a year";
  std::filesystem::create_directory(folder.file("folder"));
  std::filesystem::create_symlink(file, folder.file("link"));
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  for (const char* name : {"precious", "folder", "link", "pipe"}) {
    INFO(name);
    const auto identity = identity_of(folder.file(name));
    CHECK_THAT(refusal(folder.file(name)), Contains(folder.file(name) + ": a file that is no"));
    CHECK_FALSE(check_ipc_path(folder.file(name)));
    CHECK(identity_of(folder.file(name)) == identity);
  }
  CHECK(std::filesystem::is_symlink(folder.file("link")));
  std::ifstream read(file);
  CHECK(std::string((std::istreambuf_iterator<char>(read)), {}) == "results of a year");
}

}  // namespace

}  // namespace leasehold
