// KeptDatabase: a small SQLite file in which the agent keeps what must outlive it: opened, brought
// to its schema, read and written whole or not at all, errors as values. Not what is in it, and no
// lock against other programs (common/lock_file.hpp).
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
    /// Rows that a new file begins with, in the transaction that makes it; may be empty.
    std::function<void(SQLite::Database&)> begin;
  };

  /// Commits are durable: a write-ahead log, synced; `io` where there can be none. `version` for a
  /// file of a later schema. `read_only`: nothing is made or written, and a missing file is none.
  static Result<KeptDatabase> open(const std::string& path, const Schema& schema, bool read_only);

  /// Read-only, and there is no file.
  bool missing() const { return db_ == nullptr; }
  const std::string& path() const { return path_; }

  /// `work` as one transaction, all of it or nothing. Of a missing file: nothing.
  Status write(const std::function<void(SQLite::Database&)>& work);
  /// Statements that each stand for themselves. What SQLite throws is an error of kind `io`.
  Status run(const std::function<Status(SQLite::Database&)>& work);
  Error failure(const std::string& what) const;

 private:
  Status prepare(const Schema& schema);

  std::string path_;
  std::string what_;
  std::unique_ptr<SQLite::Database> db_;
};

}  // namespace leasehold::agent
