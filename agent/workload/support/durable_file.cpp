#include "agent/workload/support/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "common/files/durable.hpp"
#include "common/files/regular_file.hpp"

namespace leasehold::agent {

namespace {

/// Syncs the folder, which makes a rename durable.
bool sync_folder(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool synced = ::fsync(file) == 0;
  ::close(file);
  return synced;
}

}  // namespace

Status replace_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  Result<OpenFile> file = open_regular_file(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0640);
  if (!file) return fail(ErrorCode::io, "cannot be written: " + describe(file.error()));
  bool good = write_all(file->fd(), text) && ::fsync(file->fd()) == 0;
  int why = errno;
  *file = OpenFile();
  if (good && (::rename(fresh.c_str(), path.c_str()) != 0 || !sync_folder(path))) {
    good = false;
    why = errno;
  }
  if (good) return {};
  return fail(ErrorCode::io, std::string("cannot be written: ") + std::strerror(why));
}

}  // namespace leasehold::agent
