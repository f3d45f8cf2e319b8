#include "broker/store/sqlite/open.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "broker/store/sqlite/commit_file.hpp"
#include "broker/store/sqlite/statements.hpp"
#include "common/files/regular_file.hpp"

namespace leasehold {

namespace {

constexpr int64_t kPageBytes = 4096;
// No mutex: a connection is used by one thread at a time (store.hpp).
constexpr int kRead = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
constexpr int kReadAndTidy = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
constexpr int kWrite = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

using Connection = std::unique_ptr<SQLite::Database>;

/// Asks SQLite, which may keep its files elsewhere than in the file system.
bool holds_bytes(const std::string& path) {
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  int there = 0;
  return vfs->xAccess(vfs, path.c_str(), SQLITE_ACCESS_EXISTS, &there) == SQLITE_OK && there != 0;
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0 || holds_bytes(path);
}

/// Returns the pages of WAL at which it is checkpointed: many, so that scattered rows are written
/// together, but no larger a WAL than the history may be.
int64_t checkpoint_pages(const Retention& retention) {
  constexpr int64_t kMost = 4000;
  if (retention.size_bytes == 0) return kMost;
  return std::clamp<int64_t>(retention.size_bytes / 8 / kPageBytes, 100, kMost);
}

void tune(SQLite::Database& db) {
  db.exec("PRAGMA foreign_keys = ON");
  db.exec("PRAGMA temp_store = MEMORY");
  db.exec("PRAGMA cache_size = -32768");
}

/// One file of SQLite's VFS, closed at the end.
class VfsFile {
 public:
  VfsFile(const std::string& name, int flags)
      : vfs_(sqlite3_vfs_find(nullptr)),
        bytes_(std::make_unique<std::max_align_t[]>(
            static_cast<size_t>(vfs_->szOsFile) / sizeof(std::max_align_t) + 1)) {
    must(vfs_->xOpen(vfs_, name.c_str(), file(), flags, nullptr), "open");
  }
  VfsFile(const VfsFile&) = delete;
  VfsFile& operator=(const VfsFile&) = delete;
  ~VfsFile() {
    if (file()->pMethods != nullptr) file()->pMethods->xClose(file());
  }
  /// Writes every byte again and waits until all are on disk.
  void write_again();

 private:
  sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(bytes_.get()); }
  static void must(int code, const char* what) {
    if (code != SQLITE_OK) throw SQLite::Exception(std::string("log: ") + what, code);
  }
  sqlite3_vfs* vfs_;
  std::unique_ptr<std::max_align_t[]> bytes_;
};

void VfsFile::write_again() {
  const sqlite3_io_methods& call = *file()->pMethods;
  sqlite3_int64 size = 0;
  must(call.xFileSize(file(), &size), "size");
  std::vector<char> part(size_t{1} << 16U);  // the largest page, so the largest write there is
  for (sqlite3_int64 at = 0; at < size; at += static_cast<sqlite3_int64>(part.size())) {
    const int length = static_cast<int>(
        std::min<sqlite3_int64>(static_cast<sqlite3_int64>(part.size()), size - at));
    must(call.xRead(file(), part.data(), length, at), "read");
    must(call.xWrite(file(), part.data(), length, at), "write");
  }
  must(call.xSync(file(), SQLITE_SYNC_NORMAL), "sync");
}

/// Makes what the WAL holds durable. It may be in the system's memory alone: its writer was killed
/// between write and sync; or a sync failed, and since then Linux takes those bytes for synced and
/// a later sync does not write them. Nothing is decided from the WAL before it is on disk. Nobody
/// else writes meanwhile: the broker has `<path>.lock`.
void make_wal_durable(const std::string& path) {
  if (!holds_bytes(path + "-wal")) return;
  // Two zeros: a VFS looks for parameters of a URI behind the name of a database's file.
  const std::string name = path + "-wal" + std::string(2, '\0');
  VfsFile(name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL).write_again();
}

Status begin_wal(SQLite::Database& db, const std::string& path, const Retention& retention) {
  // To its end: the mode is committed after its row is out, and that can fail.
  db.exec("PRAGMA journal_mode = WAL");
  const std::string journal = db.execAndGet("PRAGMA journal_mode").getString();
  if (journal != "wal") {
    return fail(ErrorCode::io, "the database " + path +
                                   " cannot use a write-ahead log here (journal mode stays " +
                                   journal + "); put it on a local file system");
  }
  db.exec("PRAGMA synchronous = FULL");
  db.exec("PRAGMA secure_delete = OFF");
  const int64_t pages = checkpoint_pages(retention);
  db.exec("PRAGMA wal_autocheckpoint = " + std::to_string(pages));
  db.exec("PRAGMA journal_size_limit = " + std::to_string(2 * pages * kPageBytes));
  return {};
}

std::span<const Migration> or_built_in(std::span<const Migration> migrations) {
  return migrations.empty() ? built_in_migrations() : migrations;
}

/// Returns the error, with the file that it speaks of.
tl::unexpected<Error> in_file(const std::string& path, Error error) {
  error.file = path;
  return tl::unexpected(std::move(error));
}

tl::unexpected<Error> cannot_write(const std::string& path) {
  if (auto fault = fault_of_file(path, FileUse::write)) return tl::unexpected(*std::move(fault));
  return fail(ErrorCode::io, "the database " + path +
                                 " cannot be written; give the broker write permission on it and "
                                 "on its folder");
}

Result<Connection> open_for_broker(const std::string& path, const StoreOptions& options) {
  make_wal_durable(path);
  auto db = std::make_unique<SQLite::Database>(path, kWrite, kBusyTimeoutMs);
  if (sqlite3_db_readonly(db->getHandle(), "main") == 1) return cannot_write(path);
  if (Status done = begin_wal(*db, path, options.retention); !done) {
    return tl::unexpected(done.error());
  }
  tune(*db);
  if (Status done = migrate(*db, or_built_in(options.migrations)); !done) {
    return in_file(path, done.error());
  }
  return db;
}

Result<Connection> open_for_simulation(const std::string& path, const StoreOptions& options) {
  if (holds_bytes(path)) {
    return fail(ErrorCode::refused,
                path + " is there already; remove it or name a new file for the simulation");
  }
  auto db = std::make_unique<SQLite::Database>(path, kWrite, kBusyTimeoutMs);
  db->exec("PRAGMA locking_mode = EXCLUSIVE");
  db->exec("PRAGMA journal_mode = MEMORY");
  db->exec("PRAGMA synchronous = OFF");
  tune(*db);
  if (Status done = migrate(*db, or_built_in(options.migrations)); !done) {
    return tl::unexpected(done.error());
  }
  return db;
}

/// Returns the path as a URI that says: nobody writes this file. Only for a database without a WAL,
/// in a folder where the reader cannot make the shared memory that a WAL needs.
std::string immutable_uri(const std::string& path) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '?' || c == '#' || c == '%' || byte < 0x21 || byte > 0x7e) {
      uri += '%';
      uri += kDigits[byte >> 4U];
      uri += kDigits[byte & 15U];
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

/// The last connection to close a database checkpoints the WAL and removes it and the shared
/// memory, if it may write. So a reader that finds no WAL, because nobody uses the database, opens
/// it to write, and writes nothing: it leaves nothing beside it.
Connection connect(const std::string& path) {
  if (holds_bytes(path + "-wal") || ::access(path.c_str(), W_OK) != 0) {
    return std::make_unique<SQLite::Database>(path, kRead, kBusyTimeoutMs);
  }
  auto db = std::make_unique<SQLite::Database>(path, kReadAndTidy, kBusyTimeoutMs);
  db->exec("PRAGMA query_only = ON");
  return db;
}

/// The error for an empty file says so if a broker has committed to it.
Error of_empty(const std::string& path, Error error) {
  const Result<int64_t> commits = number_beside(path);
  if (!commits || *commits == 0) return error;
  error.message = "the file is empty, though " + std::to_string(*commits) +
                  " commits were made to it: move it away and put the newest copy in its place "
                  "(leasectl restore COPY " +
                  path + ")";
  return error;
}

Connection connect_reader(const std::string& path) {
  Connection db = connect(path);
  try {
    db->execAndGet("SELECT count(*) FROM sqlite_schema");
    return db;
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() != SQLITE_CANTOPEN || holds_bytes(path + "-wal")) throw;
  }
  return std::make_unique<SQLite::Database>(immutable_uri(path), kRead | SQLITE_OPEN_URI,
                                            kBusyTimeoutMs);
}

}  // namespace

tl::unexpected<Error> database_error(const std::string& path, const SQLite::Exception& error) {
  const auto say = [&](ErrorCode code, const std::string& what) {
    return fail(code, "the database " + path + " " + what + " (" + error.what() + ")");
  };
  switch (error.getErrorCode()) {
    case SQLITE_FULL:
      return say(ErrorCode::io, "cannot grow: the disk is full; free some space on it");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return say(ErrorCode::io, "cannot be written; give write permission on it and on its folder");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return say(ErrorCode::io, "is locked by another program; end that one");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return say(ErrorCode::corrupt,
                 "is damaged, or is no database; restore a backup of it (leasectl restore)");
    case SQLITE_CANTOPEN:
      return say(ErrorCode::io, "cannot be opened; its folder must exist and be permitted");
    case SQLITE_IOERR:
      return say(ErrorCode::io, "could not be read or written: the disk failed; look at dmesg");
    case SQLITE_NOMEM:
      return say(ErrorCode::io, "ran out of memory");
    default:
      return say(ErrorCode::io, "refused a statement; this is a defect, tell the makers");
  }
}

/// The file system's reason says more than SQLite's code.
tl::unexpected<Error> opening_error(const std::string& path, FileUse use,
                                    const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_IOERR:
      if (auto fault = fault_of_file(path, use)) return tl::unexpected(*std::move(fault));
      break;
    default:
      break;
  }
  return database_error(path, error);
}

Result<Connection> open_connection(const std::string& path, OpenMode mode,
                                   const StoreOptions& options) {
  if (Status regular = check_database_file(path); !regular) {
    return tl::unexpected(regular.error());
  }
  try {
    switch (mode) {
      case OpenMode::broker:
        return open_for_broker(path, options);
      case OpenMode::create_for_simulation:
        return open_for_simulation(path, options);
    }
  } catch (const SQLite::Exception& error) {
    return opening_error(path, FileUse::write, error);
  }
  return fail(ErrorCode::usage, "no such mode");
}

Result<Connection> open_to_read(const std::string& path, std::span<const Migration> migrations) {
  if (!exists(path)) {
    if (auto fault = fault_of_file(path, FileUse::read)) return tl::unexpected(*std::move(fault));
    return fail(ErrorCode::io, "there is no database " + path + "; name the file of a broker");
  }
  if (Status regular = check_database_file(path); !regular) {
    return tl::unexpected(regular.error());
  }
  try {
    Connection db = connect_reader(path);
    db->exec("PRAGMA temp_store = MEMORY");
    const Status done = check_schema(*db, or_built_in(migrations));
    if (done) return db;
    return in_file(path, is_empty(*db) ? of_empty(path, done.error()) : done.error());
  } catch (const SQLite::Exception& error) {
    return opening_error(path, FileUse::read, error);
  }
}

}  // namespace leasehold
