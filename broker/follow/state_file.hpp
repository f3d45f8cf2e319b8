// StateFile: the file of the readable tables, open for writing: it is made, compared and removed
// here. The functions throw SQLite::Exception where SQLite does.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/follow/readable_tables.hpp"
#include "common/open_file.hpp"
#include "common/result.hpp"

namespace leasehold {

class StateFile {
 public:
  enum class Use : uint8_t { beside_readers, until_renamed };

  /// Opens the file at `path` if it is intact and of this program's schema; nullptr: it is not.
  static std::unique_ptr<StateFile> open(const std::string& path);
  /// Makes a new file in its place, with the permissions of `like`. `path-wal` and `path-shm` are
  /// removed first.
  static Result<std::unique_ptr<StateFile>> make(const std::string& path, const std::string& like,
                                                 Use use);

  ReadableTables& tables() { return *tables_; }
  /// Returns the row of the log that it has reached; nullopt: it was made and never written.
  const std::optional<Follows>& follows() const { return follows_; }
  void come_to(const Follows& follows) { follows_ = follows; }
  /// True if the file or its `-wal` was deleted, emptied, or replaced.
  bool lost();

 private:
  explicit StateFile(std::string path);
  uint64_t inode() const { return identity_ ? identity_->inode : 0; }
  void begin(Use use);

  std::string path_;
  SQLite::Database db_;
  std::optional<FileIdentity> identity_;
  std::optional<FileIdentity> wal_;  // set as soon as there is one
  std::optional<Follows> follows_;
  std::unique_ptr<ReadableTables> tables_;
};

/// Removes it with its `-wal` and `-shm`.
Status remove_state_file(const std::string& path);

/// Returns an error (io) if less space is free where `path` is.
Status check_free(const std::string& path, int64_t least_bytes);

}  // namespace leasehold
