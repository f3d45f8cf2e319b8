#include "broker/store/sqlite/log.hpp"

#include "broker/store/sqlite/commit_file.hpp"
#include "broker/store/sqlite/open.hpp"
#include "broker/store/sqlite/statements.hpp"

namespace leasehold {

namespace {

constexpr const char* kOldestFirst =
    "SELECT first_event, batch, time_ms, clock_set, core_version, epoch, body, hash FROM log "
    "WHERE first_event >= "
    "ifnull((SELECT max(first_event) FROM log WHERE first_event <= ?1 AND ?2), ?1) "
    "ORDER BY first_event";
constexpr const char* kNewestFirst =
    "SELECT first_event, batch, time_ms, clock_set, core_version, epoch, body, hash FROM log "
    "WHERE first_event <= ?1 ORDER BY first_event DESC";

std::string_view bytes_at(SQLite::Statement& query, int index) {
  const SQLite::Column column = query.getColumn(index);
  const auto* bytes = static_cast<const char*>(column.getBlob());
  return {bytes == nullptr ? "" : bytes, static_cast<size_t>(column.getBytes())};
}

Result<bool> take_row(SQLite::Statement& query, LogRow& row) {
  row.first_event = query.getColumn(0).getInt64();
  row.batch = query.getColumn(1).getInt64();
  row.time.ms = query.getColumn(2).getInt64();
  row.clock_set = query.getColumn(3).getInt() != 0;
  row.core_version = query.getColumn(4).getInt();
  row.epoch = query.getColumn(5).getInt64();
  row.body = bytes_at(query, 6);
  if (take_hash(bytes_at(query, 7), row.hash)) return true;
  return no_hash("event " + std::to_string(row.first_event));
}

class SqliteRows : public LogRows {
 public:
  SqliteRows(SQLite::Database& db, const std::string& path, int64_t from, Order order)
      : path_(path), query_(db, order == Order::oldest_first ? kOldestFirst : kNewestFirst) {
    query_.bind(1, from);
    if (order == Order::oldest_first) query_.bind(2, 1);
  }

  Result<bool> next(LogRow& row) override {
    try {
      return query_.executeStep() ? take_row(query_, row) : false;
    } catch (const SQLite::Exception& error) {
      return database_error(path_, error);
    }
  }
  void begin_at(int64_t from) override {
    query_.tryReset();  // an error before was returned then
    query_.bind(1, from);
    query_.bind(2, 0);
  }

 private:
  const std::string path_;
  SQLite::Statement query_;
};

/// The rows of a log that cannot be asked: each call gives the error.
class NoRows : public LogRows {
 public:
  explicit NoRows(Error error) : error_(std::move(error)) {}
  Result<bool> next(LogRow& /*row*/) override { return tl::unexpected(error_); }
  void begin_at(int64_t /*from*/) override {}

 private:
  const Error error_;
};

class SqliteView : public OneView {
 public:
  explicit SqliteView(SQLite::Database& db) : transaction_(db) {}

 private:
  SQLite::Transaction transaction_;
};

}  // namespace

Result<std::unique_ptr<SqliteLog>> SqliteLog::open(const std::string& path,
                                                   std::span<const Migration> migrations) {
  const std::optional<FileIdentity> identity = identity_of(path);
  auto connection = open_to_read(path, migrations);
  if (!connection) return tl::unexpected(connection.error());
  auto log = std::make_unique<SqliteLog>(**connection, path);
  log->own_ = std::move(*connection);
  log->identity_ = identity;
  return log;
}

SqliteLog::SqliteLog(SQLite::Database& db, std::string path)
    : path_(std::move(path)), identity_(identity_of(path_)), db_(&db) {}

template <class Read>
auto SqliteLog::guarded(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const SQLite::Exception& error) {
    return database_error(path_, error);
  }
}

Result<std::unique_ptr<OneView>> SqliteLog::one_view() {
  return guarded(
      [&]() -> Result<std::unique_ptr<OneView>> { return std::make_unique<SqliteView>(*db_); });
}

std::unique_ptr<LogRows> SqliteLog::rows(int64_t from, Order order) {
  try {
    return std::make_unique<SqliteRows>(*db_, path_, from, order);
  } catch (const SQLite::Exception& error) {
    return std::make_unique<NoRows>(database_error(path_, error).value());
  }
}

Result<std::optional<RowPlace>> SqliteLog::row_by(int64_t event) {
  return guarded([&]() -> Result<std::optional<RowPlace>> {
    SQLite::Statement row(*db_,
                          "SELECT first_event, time_ms FROM log WHERE first_event <= ? ORDER BY "
                          "first_event DESC LIMIT 1");
    row.bind(1, event);
    if (!row.executeStep()) return std::nullopt;
    return RowPlace{row.getColumn(0).getInt64(), {row.getColumn(1).getInt64()}};
  });
}

Result<int64_t> SqliteLog::first_event() {
  return guarded([&]() -> Result<int64_t> {
    return db_->execAndGet("SELECT ifnull(min(first_event), 0) FROM log").getInt64();
  });
}

Result<std::vector<BasePlace>> SqliteLog::bases() {
  return guarded([&]() -> Result<std::vector<BasePlace>> {
    SQLite::Statement whole(
        *db_, "SELECT last_event, time_ms FROM base WHERE part = 0 ORDER BY last_event");
    std::vector<BasePlace> bases;
    while (whole.executeStep()) {
      bases.push_back({whole.getColumn(0).getInt64(), {whole.getColumn(1).getInt64()}});
    }
    return bases;
  });
}

Result<std::vector<Chunk>> SqliteLog::parts(int64_t last_event, int64_t part, int64_t most) {
  return guarded([&]() -> Result<std::vector<Chunk>> {
    SQLite::Statement query(
        *db_,
        "SELECT body, hash FROM base WHERE last_event = ? AND part >= ? ORDER BY part LIMIT ?");
    query.bind(1, last_event);
    query.bind(2, part);
    query.bind(3, most);
    std::vector<Chunk> parts;
    while (query.executeStep()) {
      Chunk& chunk = parts.emplace_back();
      chunk.body = bytes_at(query, 0);
      if (!take_hash(bytes_at(query, 1), chunk.hash)) return no_hash("a base");
    }
    return parts;
  });
}

Result<std::vector<TimeSetBack>> SqliteLog::times_set_back() {
  return guarded([&]() -> Result<std::vector<TimeSetBack>> {
    SQLite::Statement query(
        *db_, "SELECT first_event, time_ms FROM log WHERE clock_set = 1 ORDER BY first_event");
    std::vector<TimeSetBack> sets;
    while (query.executeStep()) {
      sets.push_back({query.getColumn(0).getInt64(), {query.getColumn(1).getInt64()}});
    }
    return sets;
  });
}

Result<int64_t> SqliteLog::commits_elsewhere() {
  return number_beside(path_);
}

}  // namespace leasehold
