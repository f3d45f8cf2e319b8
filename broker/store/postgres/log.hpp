// PostgresLog: a log on a PostgreSQL server (schema/sql/postgres), read by a session of its own or
// by its writer's. Rows come some at a time, each time by a statement of its own, so that nothing
// is held on the server between.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/store/log/log.hpp"
#include "broker/store/postgres/session.hpp"

namespace leasehold {

class PostgresLog : public Log {
 public:
  /// Opens a database that is there, in this program's schema.
  static Result<std::unique_ptr<PostgresLog>> open(const std::string& url);
  /// It reads by the writer's session, which outlives it.
  explicit PostgresLog(PostgresSession& session) : session_(&session) {}

  const std::string& name() const override { return session_->name(); }
  Result<std::unique_ptr<OneView>> one_view() override;
  std::unique_ptr<LogRows> rows(int64_t from, Order order) override;
  Result<std::optional<RowPlace>> row_by(int64_t event) override;
  Result<int64_t> first_event() override;
  Result<std::vector<BasePlace>> bases() override;
  Result<std::vector<Chunk>> parts(int64_t last_event, int64_t part, int64_t most) override;
  Result<std::vector<TimeSetBack>> times_set_back() override;
  /// Nobody counts: the leader's row is of the same transaction as the log's last row.
  Result<int64_t> commits_elsewhere() override { return 0; }
  /// A lost session reports itself; behind a pooler it does not: a reader that follows the log
  /// compares the row that it read last.
  bool is_in_place() override { return true; }

 private:
  std::unique_ptr<PostgresSession> own_;
  PostgresSession* session_;
};

}  // namespace leasehold
