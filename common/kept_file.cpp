#include "common/kept_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "common/regular_file.hpp"

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

Status check_kept_folder(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const std::string name = folder.empty() ? "." : folder.string();
  std::error_code code;
  if (!fs::is_directory(name, code)) {
    return refused(path, "cannot be made: there is no folder " + name + "; make it first");
  }
  if (::access(name.c_str(), W_OK | X_OK) == 0) return {};
  return refused(path, "cannot be made in " + name + ": " + std::strerror(errno) +
                           "; give this user the right to write there, or choose another folder");
}

Status check_kept_file(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (const std::string why = irregular_file(path); !why.empty()) return refused(path, why);
  if (fs::exists(status) && ::access(path.c_str(), R_OK | W_OK) != 0) {
    return refused(path, "cannot be read and written: " + std::string(std::strerror(errno)) +
                             "; it must belong to the user who runs this program");
  }
  return check_kept_folder(path);
}

}  // namespace leasehold
