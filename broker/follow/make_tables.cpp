#include "broker/follow/make_tables.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "broker/follow/readable_schema.hpp"
#include "broker/follow/readable_tables.hpp"
#include "broker/store/database.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/sqlite/open.hpp"
#include "common/database_name.hpp"
#include "common/files/durable.hpp"
#include "common/files/open_file.hpp"
#include "common/files/regular_file.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNew = ".new-";  // followed by the maker's process id
/// Rows of one read: it is short enough that the log's writer can restart its write-ahead log.
constexpr int kRowsAtOnce = 1'000;
constexpr int kOldTablesBusyMs = 500;

/// True if there is no file, an empty file or readable tables.
bool may_be_replaced(const std::string& file) {
  std::error_code none;
  const auto size = fs::file_size(file, none);
  if (none) return !fs::exists(fs::symlink_status(file, none));
  if (size == 0) return true;
  try {
    SQLite::Database db(file, SQLite::OPEN_READONLY, kBusyTimeoutMs);
    return db.execAndGet("PRAGMA application_id").getInt() == kReadableId;
  } catch (const SQLite::Exception&) {
    return false;
  }
}

Status check_free(const std::string& file, int64_t least_bytes) {
  const std::string folder = folder_of(file);
  struct statvfs found {};
  if (least_bytes == 0) return {};
  if (::statvfs(folder.c_str(), &found) != 0) return system_error("look for space in", folder);
  const auto free_bytes =
      static_cast<int64_t>(found.f_bavail) * static_cast<int64_t>(found.f_frsize);
  if (free_bytes >= least_bytes) return {};
  return fail(ErrorCode::io, "only " + std::to_string(free_bytes >> 20U) + " MiB are free in " +
                                 folder + "; the readable tables are not made below " +
                                 std::to_string(least_bytes >> 20U) + " MiB");
}

Status remove_with_parts(const std::string& file) {
  for (const char* part : {"-wal", "-shm", "-journal", ""}) {
    const std::string path = file + part;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_error("remove", path);
  }
  return {};
}

/// Removes files that killed programs left beside `file`: those that were not written for an hour.
void remove_left_over(const std::string& file) {
  const std::string begin = fs::path(file).filename().string() + kNew;
  const auto an_hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  std::error_code error;
  fs::directory_iterator at(folder_of(file), error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const fs::path found = at->path();
    if (!found.filename().string().starts_with(begin)) continue;
    std::error_code gone;
    if (fs::last_write_time(found, gone) < an_hour_ago && !gone) fs::remove(found, gone);
  }
}

/// Makes an empty file for its owner alone, or with the permissions of `like`.
Status make_empty(const std::string& path, const std::string& like) {
  // A killed program with this process id may have left it there; if it stays, open() says why.
  (void)remove_with_parts(path);
  const OpenFile file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.fd() < 0) return system_error("make", path);
  struct stat model {};
  if (::stat(like.c_str(), &model) == 0 && ::fchmod(file.fd(), model.st_mode & 0666U) != 0) {
    return system_error("set the permissions of", path);
  }
  return {};
}

/// Removes what SQLite keeps beside the old tables, which it would take for the new ones': it is
/// folded in first, so that the old tables stay complete. Earlier brokers kept a -wal there.
Status leave_alone(const std::string& file) {
  try {
    SQLite::Database old(file, SQLite::OPEN_READWRITE, kOldTablesBusyMs);
    old.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    old.exec("PRAGMA journal_mode = DELETE");
  } catch (const SQLite::Exception&) {
    // They are absent, damaged or being read, and are replaced all the same.
  }
  for (const char* part : {"-wal", "-shm", "-journal"}) {
    const std::string path = file + part;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_error("remove", path);
  }
  return {};
}

Status put_in_place(const std::string& made, const std::string& file) {
  if (Status synced = make_durable(made); !synced) return synced;
  if (Status alone = leave_alone(file); !alone) return alone;
  return rename_durably(made, file);
}

/// Writes the tables of one log into a new file.
class Making {
 public:
  Making(const TablesJob& job, const std::string& file)
      : job_(job), file_(file), db_(file, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX) {
    // Until it is renamed nobody reads the file, and after a crash nobody needs it.
    db_.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY");
    db_.exec("PRAGMA cache_size = -65536");
  }

  /// Ends where the log ends now: a broker may go on writing.
  Result<MadeTables> make(Log& log) {
    const Result<LogEnd> end = read_end(log);
    if (!end) return tl::unexpected(end.error());
    Result<FollowedLog> follow = FollowedLog::begin_oldest(log);
    if (!follow) return tl::unexpected(follow.error());
    before_ = follow->last_event();
    total_ = std::max<int64_t>(0, end->last_event - before_);
    SQLite::Transaction transaction(db_);
    ReadableTables tables(db_);
    if (Status read = read_events(*follow, end->last_event, tables); !read) {
      return tl::unexpected(read.error());
    }
    const auto identity = identity_of(file_);
    const TablesHead head{follow->last_event(), follow->batch(), follow->hash(),
                          identity ? identity->inode : 0, wall_time()};
    const Status written = tables.write(follow->state(), head, [this] { return go_on(); });
    if (!written) return tl::unexpected(written.error());
    transaction.commit();
    return MadeTables{{}, done_, head.last_event, head.made};
  }

 private:
  Status go_on() const {
    if (job_.go_on && !job_.go_on(done_, std::max(done_, total_))) {
      return fail(ErrorCode::io, "making the tables was stopped");
    }
    return check_free(file_, job_.least_free_bytes);
  }

  Status read_events(FollowedLog& follow, int64_t last, ReadableTables& tables) {
    HistoryRow event;
    for (int rows = 0; follow.last_event() < last; ++rows) {
      if (rows % kRowsAtOnce == 0) {
        follow.go_on();
        if (Status done = go_on(); !done) return done;
      }
      const Result<bool> there = follow.read();
      if (!there) return tl::unexpected(there.error());
      if (!*there) break;
      for (int64_t at = 0; at < follow.body().events(); ++at) {
        if (Status read = follow.body().event(at, event); !read) return read;
        tables.add_event(event);
      }
      if (Status applied = follow.apply(); !applied) return applied;
      done_ = follow.last_event() - before_;
    }
    follow.go_on();
    return go_on();
  }

  const TablesJob& job_;
  const std::string file_;
  SQLite::Database db_;
  int64_t before_ = 0;  // the event before the first one in the tables
  int64_t done_ = 0;
  int64_t total_ = 0;
};

Result<MadeTables> make_file(const TablesJob& job, const std::string& file) {
  const auto log = open_log(job.log);
  if (!log) return tl::unexpected(log.error());
  if (Status made = make_empty(file, job.log); !made) return tl::unexpected(made.error());
  try {
    return Making(job, file).make(**log);
  } catch (const SQLite::Exception& error) {
    return database_error(file, error);
  } catch (const std::exception& error) {
    return fail(ErrorCode::io, error.what());
  }
}

/// Returns the file that is to be made. Error: something else lies there.
Result<std::string> file_of(const TablesJob& job) {
  if (job.file.empty() && is_server(job.log)) {
    return fail(ErrorCode::usage,
                without_password(job.log) +
                    " is on a server, which has no folder for them: name the file "
                    "for its tables (leasectl tables DB FILE)");
  }
  const std::string beside = state_file_of(job.log);
  const std::string& file = job.file.empty() ? beside : job.file;
  if (Status regular = check_database_file(file); !regular) return tl::unexpected(regular.error());
  if (file != beside && !may_be_replaced(file)) {
    return fail(ErrorCode::refused,
                file + " is there already and holds no readable tables; name another file");
  }
  return file;
}

}  // namespace

std::string state_file_of(const std::string& log) {
  return log + ".state";
}

Result<MadeTables> make_tables(const TablesJob& job) {
  const Result<std::string> file = file_of(job);
  if (!file) return tl::unexpected(file.error());
  if (Status room = check_free(*file, job.least_free_bytes); !room) {
    return tl::unexpected(room.error());
  }
  remove_left_over(*file);
  const std::string fresh = *file + kNew + std::to_string(::getpid());
  Result<MadeTables> made = make_file(job, fresh);
  // Retention may have removed rows of the log while they were read.
  if (!made && made.error().code == ErrorCode::corrupt) made = make_file(job, fresh);
  if (made) {
    made->file = *file;
    if (Status placed = put_in_place(fresh, *file); !placed) {
      made = tl::unexpected(placed.error());
    }
  }
  // The error of making it is returned, not that of removing it.
  if (!made) (void)remove_with_parts(fresh);
  return made;
}

}  // namespace leasehold
