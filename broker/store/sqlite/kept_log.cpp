#include "broker/store/sqlite/kept_log.hpp"

#include <algorithm>

namespace leasehold {

SqliteKept::SqliteKept(SQLite::Database& db, std::string path, const Fault& fault)
    : db_(db), path_(std::move(path)), fault_(fault), write_(db, fault) {}

template <class Do>
auto SqliteKept::guarded(Do act) -> decltype(act()) {
  try {
    return act();
  } catch (const SQLite::Exception& error) {
    return database_error(path_, error);
  }
}

Status SqliteKept::put(std::span<const BasePart> parts) {
  return guarded([&]() -> Status {
    meet_fault(fault_, "base");
    SQLite::Transaction transaction(db_, SQLite::TransactionBehavior::IMMEDIATE);
    for (const BasePart& each : parts) {
      write_.part(each.last_event, each.part, each.time, each.chunk);
    }
    transaction.commit();
    return {};
  });
}

Result<KeptLog::Since> SqliteKept::since_base() {
  return guarded([&]() -> Result<Since> {
    Since since;
    SQLite::Statement base(
        db_,
        "SELECT last_event, sum(length(body)), min(time_ms) FROM base WHERE last_event = "
        "(SELECT max(last_event) FROM base WHERE part = 0) GROUP BY last_event");
    int64_t after = 0;
    if (base.executeStep()) {
      after = base.getColumn(0).getInt64();
      since.base_bytes = base.getColumn(1).getInt64();
      since.time = Instant{base.getColumn(2).getInt64()};
    }
    SQLite::Statement rows(
        db_, "SELECT ifnull(sum(length(body)), 0), min(time_ms) FROM log WHERE first_event > ?");
    rows.bind(1, after);
    rows.executeStep();
    since.bytes = rows.getColumn(0).getInt64();
    if (!rows.isColumnNull(1)) {
      const Instant earliest{rows.getColumn(1).getInt64()};
      since.time = std::min(since.time.value_or(earliest), earliest);
    }
    return since;
  });
}

Result<int64_t> SqliteKept::used_bytes() {
  return guarded([&]() -> Result<int64_t> {
    const auto number = [this](const char* pragma) {
      return db_.execAndGet(std::string("PRAGMA ") + pragma).getInt64();
    };
    return (number("page_count") - number("freelist_count")) * number("page_size");
  });
}

Status SqliteKept::remove_before(int64_t base) {
  return guarded([&]() -> Status {
    SQLite::Transaction transaction(db_, SQLite::TransactionBehavior::IMMEDIATE);
    const std::string event = std::to_string(base);
    db_.exec("DELETE FROM base WHERE last_event < " + event);
    db_.exec("DELETE FROM log WHERE first_event <= " + event);
    transaction.commit();
    return {};
  });
}

}  // namespace leasehold
