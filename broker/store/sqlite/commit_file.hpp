// Two small files beside the database: `<path>.commit`, the number of the last commit, which tells
// that the database was replaced by an older copy (schema/wire/PROTOCOL.md, "Broker start"), and
// `<path>.lock`, which keeps a second broker away.
#pragma once

#include <cstdint>
#include <string>

#include "common/files/lock_file.hpp"
#include "common/files/open_file.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Holds `<database>.lock` until it is destroyed or the process ends, however it ends.
/// Refused: another process holds it; the message names it.
Result<LockFile> lock_database(const std::string& database);

/// Returns the number of the last commit that stands beside a database; 0: no such file. Changes
/// nothing.
Result<int64_t> number_beside(const std::string& database);

class CommitFile {
 public:
  /// Makes the file if it is missing.
  static Result<CommitFile> open(const std::string& database);
  /// Returns the number last written; 0: none. A file that cannot be understood is an Error.
  Result<int64_t> read() const;
  /// Writes the number. Contract: called after the commit, so that the file is never ahead of the
  /// database. Not synced: it may fall behind in a power failure, which only makes it notice less.
  Status write(int64_t number) const;
  Status make_durable() const;

 private:
  friend Result<int64_t> number_beside(const std::string& database);
  CommitFile(OpenFile file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  OpenFile file_;
  std::string path_;
};

/// Adjusts the number beside a database in whose place a copy is about to be put; `commit` is the
/// copy's last. A number that is not lower stays: it tells whether anything came after the copy. A
/// lower one, as on another machine or beside another database, tells nothing and becomes higher
/// than `commit`: a copy that is wrongly taken for an older database makes a broker cautious; the
/// contrary would give slots twice.
Status adjust_number_for_copy(const std::string& database, int64_t commit);

}  // namespace leasehold
