// A log and the readable tables made from it, and queries that compare them.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "broker/follow/make_tables.hpp"
#include "tests/support/recorded_site.hpp"

namespace leasehold::test {

using Lines = std::vector<std::string>;

/// Returns the rows of a query, columns separated by bars; NULL is empty.
inline Lines rows_of(const std::string& file, const std::string& sql) {
  SQLite::Database db(file, SQLite::OPEN_READONLY);
  SQLite::Statement query(db, sql);
  Lines rows;
  while (query.executeStep()) {
    std::string row;
    for (int i = 0; i < query.getColumnCount(); ++i) {
      row += (i == 0 ? "" : "|") + query.getColumn(i).getString();
    }
    rows.push_back(row);
  }
  return rows;
}

inline int64_t number_of(const std::string& file, const std::string& sql) {
  SQLite::Database db(file, SQLite::OPEN_READONLY);
  return db.execAndGet(sql).getInt64();
}

template <class... Parts>
std::string line(const Parts&... parts) {
  std::string text;
  const auto add = [&text](const auto& part) {
    if (!text.empty()) text += '|';
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
  };
  (add(parts), ...);
  return text;
}

struct Followed {
  TempDir dir;
  const std::string log = dir.file("leasehold.db");
  const std::string file = state_file_of(log);

  MadeTables make() const {
    const Result<MadeTables> made = make_tables({log, ""});
    INFO((made ? "" : describe(made.error())));
    REQUIRE(made.has_value());
    return *made;
  }
};

/// Returns the view `ledger` of a State, by lease, host and member.
Lines ledger_of(const State& state);
/// Returns the view `lease`, without `since`.
Lines leases_of(const State& state);
/// Requires that the tables in `file` hold what the log at `log` holds, whose state is `state`.
void require_same(const std::string& file, const std::string& log, const State& state);

}  // namespace leasehold::test
