// Files that a configuration names: reading them whole, and where relative paths lead.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/config/file.hpp"

namespace leasehold {

namespace {

tl::unexpected<Error> unreadable(const std::string& path, std::string why) {
  return tl::unexpected<Error>(Error{ErrorCode::usage, std::move(why), path, 0, 0});
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, size_t bytes_max, Pipes pipes) {
  const Result<OpenFile> file = open_regular_file(path, O_RDONLY, 0, pipes);
  if (!file) return unreadable(path, file.error().message);
  std::string text;
  std::string block(1U << 16U, '\0');
  while (true) {
    const ssize_t got = ::read(file->fd(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path, std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) return text;
    text.append(block, 0, static_cast<size_t>(got));
    if (text.size() > bytes_max) {
      return unreadable(path, "is larger than " + std::to_string(bytes_max >> 20U) +
                                  " MiB, which is the most that is read of it");
    }
  }
}

std::string relative_to(const std::string& file, const std::string& path) {
  const std::filesystem::path target(path);
  if (path.empty() || target.is_absolute()) return path;
  return (std::filesystem::path(file).parent_path() / target).lexically_normal().string();
}

}  // namespace leasehold
