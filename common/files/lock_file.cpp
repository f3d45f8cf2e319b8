#include "common/files/lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "common/files/durable.hpp"
#include "common/files/regular_file.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr mode_t kOthers = 0077;

/// Formats the file as /proc/locks does. (Some file systems list another device than they show:
/// then nothing is found, and no lock is taken away.)
std::string place_of(const struct stat& file) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%02x:%02x:%llu", major(file.st_dev), minor(file.st_dev),
                static_cast<unsigned long long>(file.st_ino));
  return text.data();
}

/// Returns the process that /proc/locks names as the file's holder; 0 if there is none, or if it is
/// in another pid namespace.
pid_t holder_of(const struct stat& file) {
  const std::string wanted = place_of(file);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, advisory, mode, pid, place;
    words >> number >> kind >> advisory >> mode >> pid >> place;
    if (kind == "FLOCK" && place == wanted) return std::atoi(pid.c_str());
  }
  return 0;
}

std::optional<uid_t> user_of(pid_t process) {
  struct stat folder {};
  const std::string path = "/proc/" + std::to_string(process);
  if (process <= 0 || ::stat(path.c_str(), &folder) != 0) return std::nullopt;
  return folder.st_uid;
}

/// True for a user that is neither ours nor root, who may do anything.
bool is_stranger(const std::optional<uid_t>& user) {
  return user && *user != ::geteuid() && *user != 0;
}

class Attempt {
 public:
  explicit Attempt(const std::string& path) : path_(path) {}
  ~Attempt() {
    if (file_ >= 0) ::close(file_);
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  Status open();
  bool lock() const { return ::flock(file_, LOCK_EX | LOCK_NB) == 0; }
  /// Replaces the file by another of that name. The holder keeps the old file's lock, which then
  /// means nothing.
  Status replace() const;
  pid_t holder() const { return holder_of(facts_); }
  int release() { return std::exchange(file_, -1); }

 private:
  Status check_owner();

  const std::string& path_;
  int file_ = -1;
  struct stat facts_ {};
};

Status Attempt::open() {
  Result<OpenFile> file = open_regular_file(path_, O_RDWR | O_CREAT | O_NOFOLLOW, kOwnerOnly);
  if (!file) return tl::unexpected(file.error());
  file_ = file->release();
  if (::fstat(file_, &facts_) != 0) return tl::unexpected(system_error("open", path_));
  return check_owner();
}

Status Attempt::check_owner() {
  const bool ours = facts_.st_uid == ::geteuid() || ::geteuid() == 0;
  if (!ours) {
    return fail(
        ErrorCode::refused,
        path_ + " is another user's (uid " + std::to_string(facts_.st_uid) +
            "), who could lock it for ever; if no program of Leasehold runs as that user, remove "
            "the file");
  }
  if ((facts_.st_mode & kOthers) == 0) return {};
  if (::fchmod(file_, kOwnerOnly) != 0) {
    return tl::unexpected(system_error("close to others", path_));
  }
  return {};
}

/// The new file is created by one process only, and the rename removes its name.
Status Attempt::replace() const {
  const std::string fresh = path_ + ".new";
  const int file = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly);
  if (file < 0) return tl::unexpected(system_error("make", fresh));
  ::close(file);
  struct stat now {};
  const bool same = ::stat(path_.c_str(), &now) == 0 && now.st_ino == facts_.st_ino;
  if (!same) {
    ::unlink(fresh.c_str());  // another process of ours has replaced it
    return {};
  }
  if (::rename(fresh.c_str(), path_.c_str()) == 0) return {};
  return tl::unexpected(system_error("rename", fresh));
}

std::string held_by(const std::string& path, pid_t holder) {
  const std::string who = holder > 0 ? "process " + std::to_string(holder) : "it";
  return " (" + who + " holds " + path + ")";
}

}  // namespace

LockFile::~LockFile() {
  if (file_ >= 0) ::close(file_);
}

Result<LockFile> LockFile::take(const std::string& path, const std::string& held) {
  for (bool replaced = false;; replaced = true) {
    Attempt attempt(path);
    if (const Status opened = attempt.open(); !opened) return tl::unexpected(opened.error());
    if (attempt.lock()) return LockFile(attempt.release());
    if (errno != EWOULDBLOCK) return system_error("lock", path);
    const pid_t holder = attempt.holder();
    const std::optional<uid_t> user = user_of(holder);
    if (replaced || !is_stranger(user)) {
      return fail(ErrorCode::refused, held + held_by(path, holder));
    }
    log_warn("lock-taken-away", {{"file", path},
                                 {"pid", static_cast<int64_t>(holder)},
                                 {"uid", int64_t{*user}},
                                 {"why", "a process of another user held the lock"},
                                 {"do", "see what that process does there"}});
    if (const Status done = attempt.replace(); !done) return tl::unexpected(done.error());
  }
}

}  // namespace leasehold
