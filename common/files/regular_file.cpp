#include "common/files/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace leasehold {

namespace {

std::string words_for(mode_t mode) {
  const auto instead = [](const char* what) {
    return "is a " + std::string(what) + ": a regular file is wanted";
  };
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return instead("folder");
  if (S_ISFIFO(mode)) return instead("pipe");
  if (S_ISSOCK(mode)) return instead("socket");
  return instead("device");
}

/// Returns 0 if nothing lies there or this user may not look.
mode_t mode_at(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode : 0;
}

bool is_good(mode_t mode, Pipes pipes) {
  return S_ISREG(mode) || (S_ISFIFO(mode) && pipes == Pipes::allowed);
}

tl::unexpected<Error> not_opened(ErrorCode code, const std::string& path, std::string why) {
  return tl::unexpected<Error>(Error{code, std::move(why), path, 0, 0});
}

tl::unexpected<Error> not_opened(const std::string& path, int flags, int error) {
  const bool missing = error == ENOENT && (flags & O_CREAT) == 0;
  const int access = flags & O_ACCMODE;
  const char* verb = access == O_RDONLY ? "read" : access == O_WRONLY ? "written" : "opened";
  return not_opened(missing ? ErrorCode::unknown : ErrorCode::io, path,
                    std::string("cannot be ") + verb + ": " + std::strerror(error));
}

}  // namespace

std::string irregular_file(const std::string& path) {
  const mode_t mode = mode_at(path);
  return mode == 0 ? "" : words_for(mode);
}

/// The path is looked at first, because opening a device may do something, and a socket cannot be
/// opened. The descriptor is looked at too: another file may have taken the path meanwhile.
Result<OpenFile> open_regular_file(const std::string& path, int flags, mode_t mode, Pipes pipes) {
  const mode_t before = mode_at(path);
  if (before != 0 && !is_good(before, pipes)) {
    return not_opened(ErrorCode::io, path, words_for(before));
  }
  const int wait = S_ISFIFO(before) ? 0 : O_NONBLOCK;
  OpenFile file(::open(path.c_str(), flags | wait | O_CLOEXEC | O_NOCTTY, mode));
  struct stat found {};
  if (file.fd() < 0 || ::fstat(file.fd(), &found) != 0) return not_opened(path, flags, errno);
  if (is_good(found.st_mode, pipes)) return file;
  return not_opened(ErrorCode::io, path, words_for(found.st_mode));
}

Status check_database_file(const std::string& path) {
  for (const char* part : {"", "-wal", "-shm", "-journal"}) {
    const std::string file = path + part;
    const std::string why = irregular_file(file);
    if (!why.empty()) return fail(ErrorCode::io, file + " " + why);
  }
  return {};
}

}  // namespace leasehold
