#include "broker/store/sqlite/log_table.hpp"

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

tl::unexpected<Error> no_hash(const std::string& what) {
  return fail(ErrorCode::corrupt, "the hash of " + what + " in the database has not 32 bytes");
}

Result<std::optional<Base>> base_at(SQLite::Database& db, const SQLite::Column& last_event) {
  if (last_event.isNull()) return std::nullopt;
  SQLite::Statement parts(db,
                          "SELECT part, body, hash FROM base WHERE last_event = ? ORDER BY part");
  parts.bind(1, last_event.getInt64());
  std::vector<Chunk> chunks;
  while (parts.executeStep()) {
    Chunk& chunk = chunks.emplace_back();
    chunk.body = bytes_at(parts, 1);
    if (!take_hash(bytes_at(parts, 2), chunk.hash)) return no_hash("a base");
  }
  Result<Base> base = base_of(chunks);
  if (!base) return tl::unexpected(base.error());
  if (base->last_event != last_event.getInt64()) {
    return fail(ErrorCode::corrupt, "a base in the database stands in another's place");
  }
  return std::move(*base);
}

}  // namespace

LogRows::LogRows(SQLite::Database& db, int64_t from, Order order)
    : query_(db, order == Order::oldest_first ? kOldestFirst : kNewestFirst) {
  query_.bind(1, from);
  if (order == Order::oldest_first) query_.bind(2, 1);
}

void LogRows::begin_at(int64_t from) {
  query_.reset();
  query_.bind(1, from);
  query_.bind(2, 0);
}

Result<bool> LogRows::next(LogRow& row) {
  if (!query_.executeStep()) return false;
  row.first_event = query_.getColumn(0).getInt64();
  row.batch = query_.getColumn(1).getInt64();
  row.time.ms = query_.getColumn(2).getInt64();
  row.clock_set = query_.getColumn(3).getInt() != 0;
  row.core_version = query_.getColumn(4).getInt();
  row.epoch = query_.getColumn(5).getInt64();
  row.body = bytes_at(query_, 6);
  if (take_hash(bytes_at(query_, 7), row.hash)) return true;
  return no_hash("event " + std::to_string(row.first_event));
}

Result<LogEnd> read_end(SQLite::Database& db) {
  LogEnd end;
  LogRow row;
  const Result<bool> there = LogRows(db, INT64_MAX, Order::newest_first).next(row);
  if (!there) return tl::unexpected(there.error());
  if (*there) {
    const Result<LogBody> body = LogBody::read(row);
    if (!body) return tl::unexpected(body.error());
    const Result<Instant> time = body->time_of(body->events() - 1);
    if (!time) return tl::unexpected(time.error());
    return LogEnd{row.first_event + body->events() - 1, row.batch, row.hash, *time};
  }
  // Nothing has happened for so long that all rows went.
  const Result<std::optional<Base>> base = newest_base(db);
  if (!base) return tl::unexpected(base.error());
  if (!*base) return end;
  return LogEnd{(*base)->last_event, (*base)->batch, (*base)->log_hash, (*base)->time};
}

Result<std::optional<Base>> newest_base(SQLite::Database& db, int64_t last_event) {
  SQLite::Statement newest(db,
                           "SELECT max(last_event) FROM base WHERE part = 0 AND last_event <= ?");
  newest.bind(1, last_event);
  newest.executeStep();
  return base_at(db, newest.getColumn(0));
}

Result<std::optional<Base>> oldest_base(SQLite::Database& db) {
  SQLite::Statement oldest(db, "SELECT min(last_event) FROM base WHERE part = 0");
  oldest.executeStep();
  return base_at(db, oldest.getColumn(0));
}

LogWriting::LogWriting(SQLite::Database& db, const Fault& fault)
    : row_(db, fault, "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      // Anew where a commit that was reported as failed had kept it after all.
      part_(db, fault, "INSERT OR REPLACE INTO base VALUES (?, ?, ?, ?, ?)") {}

void LogWriting::row(const LogRow& row) {
  const std::string hash(bytes_of(row.hash));
  row_(row.first_event, row.batch, row.time.ms, row.clock_set, row.core_version, row.epoch,
       Blob{row.body}, Blob{hash});
}

void LogWriting::base(int64_t last_event, Instant time, const std::vector<Chunk>& chunks) {
  for (size_t i = 1; i <= chunks.size(); ++i) {
    const size_t at = i % chunks.size();
    part(last_event, static_cast<int64_t>(at), time, chunks[at]);
  }
}

void LogWriting::part(int64_t last_event, int64_t part, Instant time, const Chunk& chunk) {
  const std::string hash(bytes_of(chunk.hash));
  part_(last_event, part, time.ms, Blob{chunk.body}, Blob{hash});
}

}  // namespace leasehold
