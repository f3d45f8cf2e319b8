// SqliteStore keeps state and history in one SQLite file (schema/sql). It is neither a cache nor a
// model: commit() writes what it is given, load() reads it back.
//
// One process writes: a broker holds `<path>.lock` while it lives. Any number may read meanwhile.
// Durable: WAL and synchronous=FULL; what commit() has accepted survives kill -9 and power loss.
// One thread at a time uses an object; readers open a log (../database.hpp). No exception leaves
// this class. After a commit that failed the object takes no further ones: whether the batch is on
// disk is unknown until the database is opened again (schema/wire/PROTOCOL.md, "Nothing
// acknowledged is forgotten").
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "broker/store/log/log.hpp"
#include "broker/store/sqlite/options.hpp"
#include "broker/store/store.hpp"

namespace leasehold {

class SqliteStore : public Store {
 public:
  /// `path`: a file; a URL is refused (usage), for only a file will do here.
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path, OpenMode mode,
                                                   StoreOptions options = {});
  ~SqliteStore() override;

  Result<State> load() override;
  void append(const Event& event, Instant now, std::span<const Record> records,
              const State& state) override;
  Status commit(State& state) override;
  int64_t coming_bytes() const override;
  int64_t row_bytes() const override;
  int64_t last_event() const override;

  /// Compares with the number in the file beside the database.
  bool database_older() const override;
  /// Returns the number of the last commit in the database.
  int64_t commit_number() const;
  const Hash& log_hash() const;
  /// Returns why work after the last commit failed (to remove old history, or to write the file
  /// beside the database); empty: it did not. The commit stands, and the work is tried again by
  /// itself.
  const std::string& compaction_error() const override;

  const std::string& path() const;
  Log& log();                    // by the same connection
  SQLite::Database& database();  // for who makes a file of rows from elsewhere

 private:
  struct Parts;
  explicit SqliteStore(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// Returns the error (io) where the database was removed, or another lies in its place, while a
/// broker had it open.
tl::unexpected<Error> database_gone(const std::string& path);

}  // namespace leasehold
