#include "broker/replay/kept_copies.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "broker/replay/coming_file.hpp"
#include "common/files/durable.hpp"

namespace leasehold {

namespace {

/// Removes files begun under this name, including an unfinished one that does not have it yet.
void remove_begun(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(path), ignored)) {
    if (!entry.path().filename().string().starts_with(name)) continue;
    std::filesystem::remove(entry.path(), ignored);
  }
}

/// True if the newer log contains the last row of the older one with the same hash, and so all rows
/// before it. Rows that retention removed from the newer one can no longer be compared.
bool goes_on(const std::string& from, const std::string& newer) {
  const SQLite::Database old(from, SQLite::OPEN_READONLY);
  const SQLite::Database fresh(newer, SQLite::OPEN_READONLY);
  SQLite::Statement last(old,
                         "SELECT first_event, hash FROM log ORDER BY first_event DESC LIMIT 1");
  if (!last.executeStep()) return true;
  SQLite::Statement same(fresh,
                         "SELECT first_event, hash FROM log WHERE first_event >= ? "
                         "ORDER BY first_event LIMIT 1");
  const int64_t event = last.getColumn(0).getInt64();
  same.bind(1, event);
  if (!same.executeStep()) return false;
  if (same.getColumn(0).getInt64() > event) return true;
  return same.getColumn(1).getString() == last.getColumn(1).getString();
}

Status require_goes_on(const std::string& file, const std::string& newer) {
  try {
    if (goes_on(file, newer)) return {};
  } catch (const SQLite::Exception& error) {
    return fail(ErrorCode::corrupt, file + " is not a copy that can be read (" + error.what() +
                                        "); move it away, or name another file");
  }
  return fail(
      ErrorCode::refused,
      "the broker's database does not go on from " + file +
          ": it is an older one, an empty one or another's; all copies stay as they are. If "
          "it is the right one, move " +
          file + " away");
}

/// Renames the file; a missing one is no error and leaves a gap.
Status move_on(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0 || errno == ENOENT) return {};
  return system_error("rename", from);
}

}  // namespace

KeptCopies::KeptCopies(std::string file, int64_t most, LockFile lock)
    : file_(std::move(file)), coming_(file_ + ".next"), most_(most), lock_(std::move(lock)) {}

std::string KeptCopies::before(int64_t number) const {
  return file_ + "." + std::to_string(number);
}

Result<KeptCopies> KeptCopies::begin(const std::string& file, int64_t most) {
  for (const char* end : {"-wal", ".commit"}) {
    if (!file_exists(file + end)) continue;
    return fail(ErrorCode::refused, file + " is a broker's database, not a copy: " + file + end +
                                        " is beside it; name another file");
  }
  Result<LockFile> lock = LockFile::take(
      file + ".lock", "another copy is made as " + file + "; wait for it, or name another file");
  if (!lock) return tl::unexpected(lock.error());
  KeptCopies copies(file, most, *std::move(lock));
  remove_begun(copies.coming_);
  remove_abandoned(file);
  return copies;
}

void KeptCopies::drop() const {
  ::unlink(coming_.c_str());
}

Status KeptCopies::take() {
  const bool first = !file_exists(file_);
  if (!first) {
    if (Status same = require_goes_on(file_, coming_); !same) return same;
  }
  for (int64_t number = most_ - 1; number > 1; --number) {
    if (Status moved = move_on(before(number - 1), before(number)); !moved) return moved;
  }
  if (most_ > 1 && !first) {
    ::unlink(before(1).c_str());  // it was renamed, or is one too many
    if (::link(file_.c_str(), before(1).c_str()) != 0) return system_error("make", before(1));
  }
  if (Status named = rename_durably(coming_, file_); !named) return named;
  for (int64_t number = most_; ::unlink(before(number).c_str()) == 0; ++number) {
  }
  return {};
}

}  // namespace leasehold
