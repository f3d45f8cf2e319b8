// Two small files beside the database: `<path>.commit`, the number of the last commit, which tells
// that the database was replaced by an older copy (schema/wire/PROTOCOL.md, "Broker start"), and
// `<path>.lock`, which keeps a second broker away.
#pragma once

#include <cstdint>
#include <string>

#include "common/lock_file.hpp"
#include "common/open_file.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Holds `<database>.lock` until it is destroyed or the process ends, however it ends.
/// Refused: another process holds it; the message names it.
Result<LockFile> lock_database(const std::string& database);

/// The number of the last commit that stands beside a database; 0: no such file. Changes nothing.
Result<int64_t> number_beside(const std::string& database);

class CommitFile {
 public:
  /// Makes the file if it is missing.
  static Result<CommitFile> open(const std::string& database);
  /// The number last written; 0: none. A file that cannot be understood is an Error.
  Result<int64_t> read() const;
  /// To be called after the commit, so that the file is never ahead of the database. Not synced: it
  /// may fall behind in a power failure, which only makes it notice less.
  Status write(int64_t number) const;
  Status make_durable() const;

 private:
  friend Result<int64_t> number_beside(const std::string& database);
  CommitFile(OpenFile file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  OpenFile file_;
  std::string path_;
};

/// Of a copy, whose last commit is this one, that is about to be put in a database's place. Whether
/// anything came after it only the number beside the database can tell. Where that tells nothing,
/// as on another machine, or is of a database that is younger than the copy, it becomes a higher
/// one: a copy that is wrongly taken for an older database makes a broker cautious; the contrary
/// would give slots twice.
Status doubt_unless_last(const std::string& database, int64_t commit);

}  // namespace leasehold
