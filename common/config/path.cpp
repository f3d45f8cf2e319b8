// Files that a configuration names: reading them whole, and where relative paths lead.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "common/config/file.hpp"

namespace leasehold {

namespace {

tl::unexpected<Error> unreadable(const std::string& path, std::string why) {
  return tl::unexpected<Error>(Error{ErrorCode::usage, std::move(why), path, 0, 0});
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, size_t bytes_max) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) {
    return unreadable(path, "cannot be read: " + (code ? code.message() : "no such file"));
  }
  if (std::filesystem::is_directory(status)) {
    return unreadable(path, "is a directory; name a file");
  }
  // Pipes too: /dev/stdin may be one. A device or socket could give bytes without end, or none
  // ever.
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status)) {
    return unreadable(path, "is not a file but a device or socket; name a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable(path, "cannot be read: permission denied or not a file");
  std::string text;
  std::string block(1U << 16U, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    text.append(block, 0, static_cast<size_t>(file.gcount()));
    if (text.size() > bytes_max) {
      return unreadable(path, "is larger than " + std::to_string(bytes_max >> 20U) +
                                  " MiB, which is the most that is read of it");
    }
  }
  if (file.bad()) return unreadable(path, "cannot be read to its end");
  return text;
}

std::string relative_to(const std::string& file, const std::string& path) {
  const std::filesystem::path target(path);
  if (path.empty() || target.is_absolute()) return path;
  return (std::filesystem::path(file).parent_path() / target).lexically_normal().string();
}

}  // namespace leasehold
