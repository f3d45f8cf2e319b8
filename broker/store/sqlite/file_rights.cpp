#include "broker/store/sqlite/file_rights.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "common/files/durable.hpp"
#include "common/files/regular_file.hpp"

namespace leasehold {

namespace {

std::string name_of(uid_t user) {
  const passwd* known = ::getpwuid(user);
  return known != nullptr ? known->pw_name : "uid " + std::to_string(user);
}

/// A file or folder, and this user's rights to it.
class FilePlace {
 public:
  explicit FilePlace(std::string path) : path_(std::move(path)) {
    there_ = ::stat(path_.c_str(), &facts_) == 0;
  }
  bool is_folder() const { return there_ && S_ISDIR(facts_.st_mode); }
  bool there() const { return there_; }
  /// Returns 0, or why not.
  int denies(int what) const {
    return ::faccessat(AT_FDCWD, path_.c_str(), what, AT_EACCESS) == 0 ? 0 : errno;
  }
  /// Says whose it is, for an owner may do what this user may not.
  std::string whose(FileUse use, int why) const;

 private:
  const std::string path_;
  struct stat facts_ {};
  bool there_ = false;
};

std::string FilePlace::whose(FileUse use, int why) const {
  if (why == EROFS) return "its file system is mounted read-only";
  std::array<char, 16> mode{};
  std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(facts_.st_mode & 07777));
  const std::string self = name_of(::geteuid());
  const std::string whose = "it belongs to " + name_of(facts_.st_uid) + ", mode " + mode.data();
  if (facts_.st_uid == ::geteuid()) return whose + "; give its owner the right to it (chmod)";
  if (use == FileUse::read) {
    return whose + ", and this is " + self +
           "; read the database as its owner, or a copy that its owner makes (leasectl backup)";
  }
  return whose + ", and this is " + self + "; give it to that user (chown " + self + " " + path_ +
         "), or go on as its owner";
}

std::optional<Error> error(const std::string& what) {
  return Error{ErrorCode::io, what, {}, 0, 0};
}

std::optional<Error> fault_of(const std::string& path, int needed, FileUse use) {
  const FilePlace file(path);
  if (const std::string why = irregular_file(path); !why.empty()) return error(path + " " + why);
  if (!file.there()) return std::nullopt;
  if (const int why = file.denies(R_OK); why != 0) {
    return error(path + " cannot be read: " + file.whose(use, why));
  }
  const int why = file.denies(needed);
  if (why == 0) return std::nullopt;
  return error(path + " cannot be written: " + file.whose(use, why));
}

std::optional<Error> fault_of_folder(const std::string& path, FileUse use) {
  const std::string name = folder_of(path);
  const FilePlace folder(name);
  if (!folder.is_folder()) {
    return error(path + " cannot be opened: there is no folder " + name +
                 " that this user may see; make it first, or name another file");
  }
  if (const int why = folder.denies(X_OK); why != 0) {
    return error(path + " cannot be opened; of its folder " + name + ": " + folder.whose(use, why));
  }
  const int why = folder.denies(W_OK);
  if (why == 0) return std::nullopt;
  if (use == FileUse::write) {
    return error(path + " cannot be written; of its folder " + name + ": " +
                 folder.whose(use, why));
  }
  if (!FilePlace(path + "-wal").there()) return std::nullopt;
  return error(
      path + " cannot be read: its log is beside it (" + path +
      "-wal), which only who may write in its folder can read; of that: " + folder.whose(use, why));
}

}  // namespace

std::optional<Error> fault_of_file(const std::string& path, FileUse use) {
  const int needed = use == FileUse::write ? R_OK | W_OK : R_OK;
  if (auto fault = fault_of(path, needed, use)) return fault;
  if (auto fault = fault_of_folder(path, use)) return fault;
  if (auto fault = fault_of(path + "-wal", needed, use)) return fault;
  return fault_of(path + "-shm", R_OK | W_OK, use);  // who reads has its locks there, too
}

}  // namespace leasehold
