#include "broker/store/sqlite/history.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "broker/record/audit_json.hpp"
#include "broker/store/sqlite/history_times.hpp"
#include "broker/store/sqlite/statements.hpp"
#include "broker/store/sqlite/store.hpp"

namespace leasehold {

namespace {

std::string conditions(const HistoryFilter& filter) {
  std::string where = "id >= ? AND id < ?";
  if (!filter.lease.empty()) where += " AND lease = ?";
  if (!filter.inputs) where += " AND kind NOT LIKE 'input-%' AND kind <> 'snapshot'";
  for (size_t i = 0; i < filter.kinds.size(); ++i) where += i == 0 ? " AND kind IN (?" : ", ?";
  if (!filter.kinds.empty()) where += ")";
  return where;
}

std::optional<int64_t> optional_integer(SQLite::Statement& query, int index) {
  if (query.isColumnNull(index)) return std::nullopt;
  return query.getColumn(index).getInt64();
}

void take_audit(HistoryRow& row, const SQLite::Column& payload) {
  const auto* bytes = static_cast<const char*>(payload.getBlob());
  Audit audit = audit_from_json({bytes, static_cast<size_t>(payload.getBytes())});
  row.verb = std::move(audit.verb);
  row.object = std::move(audit.object);
  row.options = std::move(audit.options);
  row.where = std::move(audit.where);
  row.why = std::move(audit.why);
}

HistoryRow read(SQLite::Statement& query) {
  HistoryRow row;
  row.id = query.getColumn(0).getInt64();
  row.time.ms = query.getColumn(1).getInt64();
  row.kind = query.getColumn(2).getString();
  row.lease = query.getColumn(3).getString();
  row.epoch = optional_integer(query, 4);
  row.cluster = query.getColumn(5).getString();
  row.reason = query.getColumn(6).getString();
  row.slots = optional_integer(query, 7);
  row.from = query.getColumn(8).getString();
  row.to = query.getColumn(9).getString();
  row.numbers = query.getColumn(10).getString();
  row.by = query.getColumn(11).getString();
  row.batch = query.getColumn(12).getInt64();
  if (!query.isColumnNull(13)) take_audit(row, query.getColumn(13));
  return row;
}

std::vector<HistoryRow> read_all(SQLite::Database& db, const HistoryFilter& filter) {
  const SQLite::Transaction one_view(db);
  int64_t from = filter.after_id + 1;
  if (filter.since) from = std::max(from, first_event_at(db, *filter.since));
  const int64_t until = filter.until ? first_event_at(db, *filter.until) : INT64_MAX;
  SQLite::Statement query(
      db,
      "SELECT id, time_ms, kind, lease, epoch, cluster, reason, slots, from_cluster, to_cluster, "
      "numbers, by_whom, batch, CASE WHEN kind IN ('operator-command', 'operator-refused', "
      "'config-loaded') THEN payload END FROM event WHERE " +
          conditions(filter) + (filter.newest ? " ORDER BY id DESC" : " ORDER BY id") + " LIMIT ?");
  int index = 0;
  query.bind(++index, from);
  query.bind(++index, until);
  if (!filter.lease.empty()) query.bind(++index, filter.lease);
  for (const std::string& kind : filter.kinds) query.bind(++index, kind);
  query.bind(++index, filter.limit);
  std::vector<HistoryRow> rows;
  while (query.executeStep()) rows.push_back(read(query));
  if (filter.newest) std::reverse(rows.begin(), rows.end());
  return rows;
}

}  // namespace

Result<std::vector<HistoryRow>> history(SqliteStore& store, const HistoryFilter& filter) {
  try {
    return read_all(store.database(), filter);
  } catch (const SQLite::Exception& error) {
    return database_error(store.path(), error);
  }
}

Result<int64_t> last_history_id(SqliteStore& store) {
  try {
    return store.database().execAndGet("SELECT ifnull(max(id), 0) FROM event").getInt64();
  } catch (const SQLite::Exception& error) {
    return database_error(store.path(), error);
  }
}

}  // namespace leasehold
