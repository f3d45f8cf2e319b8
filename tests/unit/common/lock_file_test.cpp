// A lock that one process holds, and that nobody else can.
#include "common/files/lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

namespace leasehold {

namespace {

using Catch::Contains;
namespace fs = std::filesystem;

constexpr uid_t kNobody = 65'534;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "leasehold-lock-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  std::string lock() const { return (path_ / "db.lock").string(); }

 private:
  fs::path path_;
};

mode_t mode_of(const std::string& path) {
  struct stat file {};
  REQUIRE(::stat(path.c_str(), &file) == 0);
  return file.st_mode & 0777U;
}

/// Another user, who opens the file for reading and locks it, until this object ends.
class Stranger {
 public:
  explicit Stranger(const std::string& path) {
    int said[2];
    REQUIRE(::pipe(said) == 0);
    process_ = ::fork();
    if (process_ == 0) {
      const bool became = ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
      const int file = ::open(path.c_str(), O_RDONLY);
      const char held = became && file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0 ? 'y' : 'n';
      (void)!::write(said[1], &held, 1);
      ::pause();
      ::_exit(0);
    }
    char held = 'n';
    holds_ = ::read(said[0], &held, 1) == 1 && held == 'y';
    ::close(said[0]);
    ::close(said[1]);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  ~Stranger() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  bool holds() const { return holds_; }

 private:
  pid_t process_ = 0;
  bool holds_ = false;
};

}  // namespace

TEST_CASE("a lock is its holder's alone, its file its owner's") {
  const Folder folder;
  auto first = LockFile::take(folder.lock(), "another broker uses it");
  REQUIRE(first);
  CHECK(mode_of(folder.lock()) == 0600);
  const auto second = LockFile::take(folder.lock(), "another broker uses it");
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::refused);
  CHECK_THAT(second.error().message,
             Contains("another broker uses it (process " + std::to_string(::getpid()) + " holds "));
  *first = LockFile();
  CHECK(LockFile::take(folder.lock(), "another broker uses it"));
}

TEST_CASE("a lock file that others could open is closed to them") {
  const Folder folder;
  ::close(::open(folder.lock().c_str(), O_CREAT | O_RDWR, 0600));
  REQUIRE(::chmod(folder.lock().c_str(), 0666) == 0);
  CHECK(LockFile::take(folder.lock(), ""));
  CHECK(mode_of(folder.lock()) == 0600);
}

TEST_CASE("a lock file that is a link or a folder is refused") {
  const Folder folder;
  fs::create_symlink("/etc/passwd", folder.lock());
  CHECK_FALSE(LockFile::take(folder.lock(), ""));
  fs::remove(folder.lock());
  fs::create_directory(folder.lock());
  CHECK_FALSE(LockFile::take(folder.lock(), ""));
}

TEST_CASE("another user who holds the lock of a file that was open to all keeps nobody away") {
  if (::geteuid() != 0) return;  // becomes another user
  const Folder folder;
  ::close(::open(folder.lock().c_str(), O_CREAT | O_RDWR, 0600));
  REQUIRE(::chmod(folder.lock().c_str(), 0644) == 0);
  fs::permissions(fs::path(folder.lock()).parent_path(), fs::perms::all);
  const Stranger stranger(folder.lock());
  REQUIRE(stranger.holds());
  auto lock = LockFile::take(folder.lock(), "another broker uses it");
  INFO((lock ? "" : lock.error().message));
  REQUIRE(lock);
  CHECK_FALSE(LockFile::take(folder.lock(), "another broker uses it"));
  const Stranger late(folder.lock());
  CHECK_FALSE(late.holds());  // cannot even open it
}

TEST_CASE("a lock file of another user is refused, with whose it is") {
  if (::geteuid() != 0) return;
  const Folder folder;
  ::close(::open(folder.lock().c_str(), O_CREAT | O_RDWR, 0600));
  REQUIRE(::chmod(folder.lock().c_str(), 0666) == 0);
  fs::permissions(fs::path(folder.lock()).parent_path(), fs::perms::all);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(3);
    const auto lock = LockFile::take(folder.lock(), "");
    const bool names_owner = !lock && lock.error().message.find("uid 0") != std::string::npos;
    ::_exit(names_owner ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace leasehold
