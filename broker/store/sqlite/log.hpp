// SqliteLog: a log in an SQLite file (schema/sql), read by a connection of its own or by its
// writer's. Safe beside a running broker.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broker/store/log/log.hpp"
#include "broker/store/sqlite/migrations.hpp"
#include "common/files/open_file.hpp"

namespace leasehold {

class SqliteLog : public Log {
 public:
  /// Opens a file that is there, in this program's schema. `migrations`: empty, those built in.
  static Result<std::unique_ptr<SqliteLog>> open(const std::string& path,
                                                 std::span<const Migration> migrations = {});
  /// Reads by the writer's connection, which outlives it.
  SqliteLog(SQLite::Database& db, std::string path);

  const std::string& name() const override { return path_; }
  Result<std::unique_ptr<OneView>> one_view() override;
  std::unique_ptr<LogRows> rows(int64_t from, Order order) override;
  Result<std::optional<RowPlace>> row_by(int64_t event) override;
  Result<int64_t> first_event() override;
  Result<std::vector<BasePlace>> bases() override;
  Result<std::vector<Chunk>> parts(int64_t last_event, int64_t part, int64_t most) override;
  Result<std::vector<TimeSetBack>> times_set_back() override;
  Result<int64_t> commits_elsewhere() override;
  bool is_in_place() override { return identity_of(path_) == identity_; }

  SQLite::Database& database() { return *db_; }

 private:
  /// Gives the result of `read`, and its exceptions as Errors.
  template <class Read>
  auto guarded(Read read) -> decltype(read());

  std::string path_;
  std::optional<FileIdentity> identity_;
  std::unique_ptr<SQLite::Database> own_;
  SQLite::Database* db_;
};

}  // namespace leasehold
