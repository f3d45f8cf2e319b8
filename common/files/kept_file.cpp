#include "common/files/kept_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "common/files/regular_file.hpp"

namespace leasehold {

namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> refused(const std::string& path, const std::string& why) {
  return fail(ErrorCode::usage, path + " " + why);
}

}  // namespace

std::string kept_name_fault(std::string_view path) {
  if (path == ":memory:" || path.starts_with("file:")) {
    return "is '" + std::string(path) + "', which keeps nothing; write the path of a file";
  }
  if (path.ends_with('/')) return "is a folder; write the path of a file";
  return "";
}

namespace {

/// Returns where the file would be created: a link may lead to a place where nothing lies yet.
std::string end_of_links(std::string path) {
  constexpr int kLinksMost = 40;  // as many as the kernel follows
  std::error_code code;
  for (int i = 0; i < kLinksMost && fs::is_symlink(fs::symlink_status(path, code)); ++i) {
    const fs::path target = fs::read_symlink(path, code);
    if (code) break;
    path = (fs::path(path).parent_path() / target).string();
  }
  return path;
}

/// True if the kernel provides what lies there, whatever rights it shows: /proc/version is a
/// regular file that root may write.
bool is_the_kernels(const std::string& path) {
  constexpr std::array kKernels{PROC_SUPER_MAGIC,    SYSFS_MAGIC,       CGROUP_SUPER_MAGIC,
                                CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC,     TRACEFS_MAGIC,
                                SECURITYFS_MAGIC,    DEVPTS_SUPER_MAGIC};
  struct statfs found {};
  if (::statfs(path.c_str(), &found) != 0) return false;
  return std::find(kKernels.begin(), kKernels.end(), found.f_type) != kKernels.end();
}

Status of_the_kernel(const std::string& path) {
  return refused(path,
                 "is where the kernel shows its own state, and keeps nothing; choose "
                 "another folder");
}

}  // namespace

Status check_kept_folder(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const std::string name = folder.empty() ? "." : folder.string();
  std::error_code code;
  if (!fs::is_directory(name, code)) {
    return refused(path, "cannot be made: there is no folder " + name + "; make it first");
  }
  if (::access(name.c_str(), W_OK | X_OK) != 0) {
    return refused(path, "cannot be made in " + name + ": " + std::strerror(errno) +
                             "; give this user the right to write there, or choose another folder");
  }
  return is_the_kernels(name) ? of_the_kernel(path) : Status{};
}

Status check_kept_file(const std::string& path) {
  struct stat found {};
  const bool exists = ::stat(path.c_str(), &found) == 0;
  if (!exists && errno != ENOENT && errno != ENOTDIR && errno != EACCES) {
    return refused(path, "cannot be opened: " + std::string(std::strerror(errno)) +
                             "; write the path of a file");
  }
  if (const std::string why = irregular_file(path); !why.empty()) return refused(path, why);
  if (exists && ::access(path.c_str(), R_OK | W_OK) != 0) {
    return refused(path, "cannot be read and written: " + std::string(std::strerror(errno)) +
                             "; it must belong to the user who runs this program");
  }
  if (exists && is_the_kernels(path)) return of_the_kernel(path);
  return check_kept_folder(exists ? path : end_of_links(path));
}

Status check_kept_database(const std::string& path) {
  if (Status kept = check_kept_file(path); !kept) return kept;
  if (Status regular = check_database_file(path); !regular) return regular;
  constexpr std::string_view kBegin("SQLite format 3\0", 16);
  const Result<OpenFile> file = open_regular_file(path, O_RDONLY);
  if (!file) return {};  // nothing lies there yet
  std::array<char, kBegin.size()> bytes{};
  const ssize_t read = ::read(file->fd(), bytes.data(), bytes.size());
  if (read <= 0 || kBegin == std::string_view(bytes.data(), bytes.size())) return {};
  return refused(path,
                 "is no SQLite database, and stays as it is; write the path of one, or of none");
}

}  // namespace leasehold
