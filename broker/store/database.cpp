#include "broker/store/database.hpp"

#include "broker/store/postgres/log.hpp"
#include "broker/store/sqlite/log.hpp"
#include "common/database_name.hpp"

namespace leasehold {

Result<std::unique_ptr<Log>> open_log(const std::string& database) {
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
