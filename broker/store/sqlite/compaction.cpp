#include "broker/store/sqlite/compaction.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <optional>

namespace leasehold {

namespace {

constexpr int64_t kParts = 8;  // bases a full history has

int64_t number(SQLite::Database& db, const char* sql) {
  return db.execAndGet(sql).getInt64();
}

/// The newest base not after `at` that has rows before it; nullopt: there is none.
std::optional<int64_t> newest_base_before(SQLite::Database& db, Instant at) {
  SQLite::Statement query(
      db,
      "SELECT max(last_event) FROM base WHERE part = 0 AND time_ms <= ? AND last_event >= "
      "(SELECT min(first_event) FROM log)");
  query.bind(1, at.ms);
  if (!query.executeStep() || query.isColumnNull(0)) return std::nullopt;
  return query.getColumn(0).getInt64();
}

std::optional<int64_t> next_base(SQLite::Database& db) {
  SQLite::Statement query(
      db,
      "SELECT min(last_event) FROM base WHERE part = 0 AND last_event >= (SELECT "
      "min(first_event) FROM log)");
  if (!query.executeStep() || query.isColumnNull(0)) return std::nullopt;
  return query.getColumn(0).getInt64();
}

/// Lets history start after event `base`.
int64_t remove_before(SQLite::Database& db, int64_t base) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  const std::string event = std::to_string(base);
  db.exec("DELETE FROM base WHERE last_event < " + event);
  const int64_t removed = db.exec("DELETE FROM log WHERE first_event <= " + event);
  transaction.commit();
  return removed;
}

int64_t remove_too_old(SQLite::Database& db, const Retention& retention, Instant now) {
  if (retention.age_ms == 0) return 0;
  const auto base = newest_base_before(db, Instant{now.ms - retention.age_ms});
  return base ? remove_before(db, *base) : 0;
}

int64_t remove_too_much(SQLite::Database& db, const Retention& retention) {
  if (retention.size_bytes == 0) return 0;
  // Room for what is written before the next chance to remove something.
  const int64_t most = retention.size_bytes - retention.size_bytes / kParts * 2;
  int64_t removed = 0;
  while (used_bytes(db) > most) {
    const auto base = next_base(db);
    if (!base) break;
    removed += remove_before(db, *base);
  }
  return removed;
}

}  // namespace

int64_t base_interval_bytes(const Retention& retention, int64_t last_base_bytes) {
  constexpr int64_t kLeast = 64 * 1024;
  constexpr int64_t kMost = 16 * 1024 * 1024;  // 170,000 events: a past instant is read from one
  const int64_t wanted = retention.size_bytes == 0
                             ? kMost
                             : std::clamp(retention.size_bytes / (2 * kParts), kLeast, kMost);
  return std::max(wanted, 2 * last_base_bytes);
}

bool base_due(const Retention& retention, int64_t bytes_since, int64_t last_base_bytes,
              Instant since, Instant now) {
  if (bytes_since == 0) return false;
  if (bytes_since >= base_interval_bytes(retention, last_base_bytes)) return true;
  return retention.age_ms > 0 && now - since >= retention.age_ms / kParts;
}

int64_t compact(SQLite::Database& db, const Retention& retention, Instant now) {
  const int64_t old = remove_too_old(db, retention, now);
  return old + remove_too_much(db, retention);
}

int64_t used_bytes(SQLite::Database& db) {
  const int64_t pages = number(db, "PRAGMA page_count") - number(db, "PRAGMA freelist_count");
  return pages * number(db, "PRAGMA page_size");
}

}  // namespace leasehold
