#include "broker/replay/coming_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "common/files/durable.hpp"

namespace leasehold {

namespace {

constexpr const char* kMark = ".new-";

/// Returns the process id in "copy.db.new-17" or "copy.db.new-17-journal" after `prefix`; 0: it is
/// no such name.
pid_t maker_of(const std::string& name, const std::string& prefix) {
  if (!name.starts_with(prefix)) return 0;
  pid_t maker = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + prefix.size(), end, maker);
  const bool whole = rest == end || std::string_view(rest) == "-journal";
  return error == std::errc() && whole ? maker : 0;
}

}  // namespace

bool file_exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

std::string coming_name(const std::string& path) {
  return path + kMark + std::to_string(::getpid());
}

Status make_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return system_error("make", path);
  ::close(file);
  return {};
}

Status name_it(const std::string& coming, const std::string& path) {
  if (Status synced = make_durable(coming); !synced) return synced;
  if (::link(coming.c_str(), path.c_str()) != 0) {
    if (errno == EEXIST) {
      return fail(ErrorCode::refused, path + " is there already; name a new file");
    }
    return system_error("make", path);
  }
  ::unlink(coming.c_str());
  return make_durable(folder_of(path));
}

void remove_abandoned(const std::string& path) {
  const std::string prefix = std::filesystem::path(path).filename().string() + kMark;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(path), ignored)) {
    const pid_t maker = maker_of(entry.path().filename().string(), prefix);
    if (maker <= 0 || ::kill(maker, 0) == 0 || errno != ESRCH) continue;
    std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace leasehold
