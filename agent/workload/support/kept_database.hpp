// KeptDatabase: a small SQLite file in which the agent keeps what must outlive it. It is opened,
// brought to its schema, and read and written in transactions, with errors as values. It does not
// know its content, and does not lock other programs out (common/files/lock_file.hpp).
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "common/result.hpp"

namespace leasehold::agent {

class KeptDatabase {
 public:
  struct Schema {
    const char* what;                    // in errors: "the agent's state"
    std::span<const char* const> steps;  // SQL from version v to v + 1
    /// Writes the first rows of a new file, in the transaction that makes it; may be empty.
    std::function<void(SQLite::Database&)> begin;
    /// Says what follows if a damaged file is removed, behind "remove it".
    const char* if_removed = "";
  };

  /// Opens the file. Commits are durable: a synced write-ahead log; `io` where there can be none.
  /// `version` for a file of a later schema. `read_only`: nothing is made or written, the schema is
  /// not compared, and a missing file is accepted.
  static Result<KeptDatabase> open(const std::string& path, const Schema& schema, bool read_only);

  /// True if it is read-only and there is no file.
  bool missing() const { return db_ == nullptr; }
  const std::string& path() const { return path_; }

  /// Runs `work` as one transaction. On a missing file it does nothing.
  Status write(const std::function<void(SQLite::Database&)>& work);
  /// Runs statements outside of a transaction. A missing file, and an exception of SQLite, is an
  /// error of kind `io`; a DamagedRow is one of kind `corrupt`.
  Status run(const std::function<Status(SQLite::Database&)>& work);
  Error failure(const std::string& what) const;
  /// Returns the error of what cannot be right in the file (`corrupt`), with what to do.
  Error damage(const std::string& what) const;

 private:
  Status prepare(const Schema& schema);

  std::string path_;
  std::string what_;
  std::string if_removed_;
  std::unique_ptr<SQLite::Database> db_;
};

}  // namespace leasehold::agent
