// Changes a log as an attacker might: past its triggers, and with every hash made right again.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "broker/store/sqlite/log.hpp"
#include "broker/store/sqlite/log_writing.hpp"

namespace leasehold::test {

/// Drops the triggers that guard the log, and runs `sql` on the file.
inline void tamper(const std::string& path, const std::string& sql) {
  SQLite::Database db(path, SQLite::OPEN_READWRITE);
  for (const char* name : {"log_is_final", "log_is_kept", "base_is_final", "base_is_kept"}) {
    db.exec(std::string("DROP TRIGGER IF EXISTS ") + name);
  }
  REQUIRE(db.exec(sql) >= 0);
  REQUIRE(db.getTotalChanges() > 0);
}

namespace detail {

inline std::vector<LogRow> rows_of(const std::string& path) {
  SQLite::Database db(path, SQLite::OPEN_READONLY);
  const auto rows = SqliteLog(db, path).rows(1, Order::oldest_first);
  std::vector<LogRow> all;
  for (LogRow row; rows->next(row).value();) all.push_back(row);
  return all;
}

inline void put_back(const std::string& path, const std::vector<LogRow>& rows) {
  tamper(path, "DELETE FROM log");
  SQLite::Database db(path, SQLite::OPEN_READWRITE);
  LogWriting writing(db, {});
  for (const LogRow& row : rows) writing.row(row);
}

}  // namespace detail

/// Makes every hash right again, from the first row on.
inline void chain_anew(std::vector<LogRow>& rows) {
  Hash previous{};
  for (LogRow& row : rows) previous = row.hash = chain_hash(previous, row);
}

/// Changes rows, and chains the result again.
inline void forge_rows(const std::string& path, const std::function<void(LogRow&)>& change) {
  std::vector<LogRow> rows = detail::rows_of(path);
  for (LogRow& row : rows) change(row);
  chain_anew(rows);
  detail::put_back(path, rows);
}

/// An event of a body that was taken apart: places of texts are in `texts`, in which a new one is
/// looked up or added.
class ForgedBody {
 public:
  using Json = nlohmann::json;
  /// Places of an event's fields (broker/record/log_body.cpp).
  enum Field {
    time,
    kind,
    lease,
    generation,
    epoch,
    cluster,
    reason,
    slots,
    from,
    to,
    numbers,
    by
  };

  explicit ForgedBody(const std::string& body) : all_(Json::from_msgpack(body)) {}
  Json& events() { return all_[2]; }
  std::string text(const Json& event, Field field) const {
    return event[field].is_null() ? "" : all_[1][event[field].get<size_t>()].get<std::string>();
  }
  Json place(const std::string& text) {
    for (size_t i = 0; i < all_[1].size(); ++i) {
      if (all_[1][i] == text) return i;
    }
    all_[1].push_back(text);
    return all_[1].size() - 1;
  }
  std::string bytes() const {
    const std::vector<uint8_t> packed = Json::to_msgpack(all_);
    return {packed.begin(), packed.end()};
  }

 private:
  Json all_;
};

/// Changes each event of that kind, and chains the result again.
inline void forge_events(const std::string& path, const std::string& kind,
                         const std::function<void(ForgedBody&, nlohmann::json&)>& change) {
  int changed = 0;
  forge_rows(path, [&](LogRow& row) {
    ForgedBody body(row.body);
    bool touched = false;
    for (nlohmann::json& event : body.events()) {
      if (body.text(event, ForgedBody::kind) != kind) continue;
      change(body, event);
      touched = true;
    }
    if (touched) row.body = body.bytes();
    changed += touched ? 1 : 0;
  });
  REQUIRE(changed > 0);
}

}  // namespace leasehold::test
