#include "broker/follow/make_tables.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "broker/follow/log_to_tables.hpp"
#include "broker/follow/readable_schema.hpp"
#include "broker/store/database.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/sqlite/open.hpp"
#include "common/database_name.hpp"

namespace leasehold {

namespace {

constexpr const char* kNew = ".new-";  // followed by the maker's process id

/// True if there is no file, an empty file or readable tables.
bool may_be_replaced(const std::string& file) {
  std::error_code none;
  const auto size = std::filesystem::file_size(file, none);
  if (none) return !std::filesystem::exists(std::filesystem::symlink_status(file, none));
  if (size == 0) return true;
  try {
    SQLite::Database db(file, SQLite::OPEN_READONLY, kBusyTimeoutMs);
    return db.execAndGet("PRAGMA application_id").getInt() == kReadableId;
  } catch (const SQLite::Exception&) {
    return false;
  }
}

/// Returns the log's end. Error: it is no log.
Result<int64_t> end_of(const std::string& log) {
  const auto opened = open_log(log);
  if (!opened) return tl::unexpected(opened.error());
  const Result<LogEnd> end = read_end(**opened);
  if (!end) return tl::unexpected(end.error());
  return end->last_event;
}

/// Ends where the log ended at the beginning: a broker may go on writing.
Result<MadeTables> make_file(const TablesOptions& options, int64_t end,
                             const TablesProgress& progress) {
  LogToTables tables(options);
  while (true) {
    const Result<bool> at_end = tables.step();
    if (!at_end) return tl::unexpected(at_end.error());
    const int64_t before = tables.first_event() - 1;
    const int64_t done = tables.last_event() - before;
    if (progress) progress(done, std::max(done, end - before));
    if (*at_end || tables.last_event() >= end) return MadeTables{{}, done, tables.last_event()};
  }
}

/// Removes files that killed programs left beside `file`: those that were not written for an hour.
void remove_left_over(const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path whole(file);
  const std::string begin = whole.filename().string() + kNew;
  const auto an_hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  std::error_code error;
  fs::directory_iterator at(whole.has_parent_path() ? whole.parent_path() : fs::path("."), error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const fs::path found = at->path();
    if (!found.filename().string().starts_with(begin)) continue;
    std::error_code gone;
    if (fs::last_write_time(found, gone) < an_hour_ago && !gone) fs::remove(found, gone);
  }
}

Status put_in_place(const std::string& made, const std::string& file) {
  if (Status gone = remove_state_file(file); !gone) return gone;
  if (std::rename(made.c_str(), file.c_str()) == 0) return {};
  return fail(ErrorCode::io, "cannot write " + file + ": " + std::strerror(errno));
}

}  // namespace

Result<MadeTables> make_tables(const std::string& log, std::string file,
                               const TablesProgress& progress) {
  if (file.empty() && is_server(log)) {
    return fail(ErrorCode::usage, without_password(log) +
                                      " is on a server, beside which no file lies: name the file "
                                      "for its tables (leasectl tables DB FILE)");
  }
  const Result<int64_t> end = end_of(log);
  if (!end) return tl::unexpected(end.error());
  if (file.empty()) file = state_file_of(log);
  if (file != state_file_of(log) && !may_be_replaced(file)) {
    return fail(ErrorCode::refused,
                file + " is there already and holds no readable tables; name another file");
  }
  TablesOptions options;
  options.log = log;
  remove_left_over(file);
  options.file = file + kNew + std::to_string(::getpid());
  options.use = StateFile::Use::until_renamed;
  Result<MadeTables> made = make_file(options, *end, progress);
  Status placed;
  if (made) placed = put_in_place(options.file, file);
  if (made && placed) {
    made->file = file;
    return made;
  }
  // The error of making it is returned, not that of removing it.
  const Status gone = remove_state_file(options.file);
  (void)gone;
  return tl::unexpected(made ? placed.error() : made.error());
}

}  // namespace leasehold
