#include "broker/store/database.hpp"

#include "broker/store/postgres/leader.hpp"
#include "broker/store/postgres/log.hpp"
#include "broker/store/postgres/schema.hpp"
#include "broker/store/sqlite/log.hpp"
#include "common/database_name.hpp"

namespace leasehold {

Result<std::string> last_leader(const std::string& database) {
  if (!is_server(database)) return std::string();
  auto session = PostgresSession::open(database, PostgresSession::Use::to_read);
  if (!session) return tl::unexpected(session.error());
  if (Status known = check_schema(**session); !known) return tl::unexpected(known.error());
  const Result<LeaderRow> row = read_leader(**session);
  if (!row) return tl::unexpected(row.error());
  if (row->epoch == 0) return std::string();
  return row->holder + ", at " + row->endpoints + ", in epoch " + std::to_string(row->epoch) +
         (row->stepped_down ? ", and stepped down" : "");
}

Result<std::unique_ptr<Log>> open_log(const std::string& database) {
  if (is_conninfo(database)) return fail(ErrorCode::usage, "the database " + conninfo_fault());
  if (is_server(database)) {
    auto log = PostgresLog::open(database);
    if (!log) return tl::unexpected(log.error());
    return std::move(*log);
  }
  auto log = SqliteLog::open(database);
  if (!log) return tl::unexpected(log.error());
  return std::move(*log);
}

}  // namespace leasehold
