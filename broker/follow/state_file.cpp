#include "broker/follow/state_file.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "broker/follow/readable_schema.hpp"

namespace leasehold {

namespace {

constexpr int kTablesBusyMs = 500;
constexpr int kWrite = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;

tl::unexpected<Error> system_error(const std::string& what, const std::string& path) {
  return fail(ErrorCode::io, "cannot " + what + " " + path + ": " + std::strerror(errno));
}

bool is_whole(SQLite::Database& db) {
  return db.execAndGet("PRAGMA quick_check(1)").getString() == "ok";
}

/// Makes an empty file for its owner alone, or with the permissions of `like`.
Status make_empty(const std::string& path, const std::string& like) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return system_error("make", path);
  struct stat model {};
  const bool same = ::stat(like.c_str(), &model) != 0 || ::fchmod(file, model.st_mode & 0666U) == 0;
  Status made;
  if (!same) made = system_error("set the permissions of", path);
  ::close(file);
  return made;
}

}  // namespace

StateFile::StateFile(std::string path)
    : path_(std::move(path)), db_(path_, kWrite, kTablesBusyMs), identity_(identity_of(path_)) {}

void StateFile::begin(Use use) {
  db_.exec("PRAGMA temp_store = MEMORY");
  // The rows and events of many leases are scattered over the file.
  db_.exec("PRAGMA cache_size = -65536");
  if (use == Use::until_renamed) {
    db_.exec("PRAGMA journal_mode = MEMORY");
    db_.exec("PRAGMA synchronous = OFF");
  } else {
    db_.exec("PRAGMA journal_mode = WAL");
    db_.exec("PRAGMA synchronous = NORMAL");  // lost data is made again
    db_.exec("PRAGMA wal_autocheckpoint = 8000");
    db_.exec("PRAGMA journal_size_limit = 67108864");
  }
}

bool StateFile::lost() {
  constexpr uintmax_t kPageLeast = 512;  // the smallest page of SQLite; every database has one
  std::error_code unknown;
  const uintmax_t size = std::filesystem::file_size(path_, unknown);
  if (unknown || size < kPageLeast || identity_of(path_) != identity_) return true;
  const std::optional<FileIdentity> now = identity_of(path_ + "-wal");
  if (!wal_) wal_ = now;
  return now != wal_;
}

std::unique_ptr<StateFile> StateFile::open(const std::string& path) {
  try {
    std::unique_ptr<StateFile> file(new StateFile(path));
    if (sqlite3_db_readonly(file->db_.getHandle(), "main") == 1) return nullptr;
    file->follows_ = tables_follow(file->db_, file->inode());
    if (!file->follows_ || !is_whole(file->db_)) return nullptr;
    file->begin(Use::beside_readers);  // only now: it is one of ours
    file->tables_ = std::make_unique<ReadableTables>(file->db_, file->inode());
    return file;
  } catch (const SQLite::Exception&) {
    return nullptr;
  }
}

Result<std::unique_ptr<StateFile>> StateFile::make(const std::string& path, const std::string& like,
                                                   Use use) {
  if (Status gone = remove_state_file(path); !gone) return tl::unexpected(gone.error());
  if (Status made = make_empty(path, like); !made) return tl::unexpected(made.error());
  std::unique_ptr<StateFile> file(new StateFile(path));
  file->begin(use);
  make_readable_tables(file->db_);
  file->tables_ = std::make_unique<ReadableTables>(file->db_, file->inode());
  return file;
}

Status remove_state_file(const std::string& path) {
  for (const char* part : {"-wal", "-shm", ""}) {
    const std::string file = path + part;
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) return system_error("remove", file);
  }
  return {};
}

Status check_free(const std::string& path, int64_t least_bytes) {
  if (least_bytes == 0) return {};
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  struct statvfs found {};
  if (::statvfs(folder.c_str(), &found) != 0) return system_error("look for space in", folder);
  const auto free_bytes =
      static_cast<int64_t>(found.f_bavail) * static_cast<int64_t>(found.f_frsize);
  if (free_bytes >= least_bytes) return {};
  return fail(ErrorCode::io, "only " + std::to_string(free_bytes >> 20U) + " MiB are free in " +
                                 folder + "; the readable tables stand still below " +
                                 std::to_string(least_bytes >> 20U) + " MiB");
}

}  // namespace leasehold
