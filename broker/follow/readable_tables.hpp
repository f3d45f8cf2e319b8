// ReadableTables: writes the tables that people query (schema/sql/readable/tables.sql) into an
// empty SQLite file. make_tables.hpp reads the log and gives the file its name. The functions throw
// SQLite::Exception; the caller turns it into an Error.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "broker/core/model/state.hpp"
#include "broker/record/hash.hpp"
#include "broker/record/history_row.hpp"
#include "broker/store/sqlite/statements.hpp"

namespace leasehold {

/// The row of the log that the tables show, and when and in which file they were made.
struct TablesHead {
  int64_t last_event = 0;
  int64_t batch = 0;
  Hash hash{};
  uint64_t inode = 0;
  Instant made;
};

class ReadableTables {
 public:
  /// Makes the tables. Contract: `db` is empty.
  explicit ReadableTables(SQLite::Database& db);

  void add_event(const HistoryRow& row);
  /// Writes the whole state. `go_on` is called every few thousand slot groups; its error ends the
  /// writing.
  Status write(const State& state, const TablesHead& head, const std::function<Status()>& go_on);

 private:
  /// Adds a row: a value for each column, in the order of tables.sql.
  template <class... Values>
  void add(std::string_view table, const Values&... values) {
    insert(table, sizeof...(values))(values...);
  }
  Writing& insert(std::string_view table, size_t columns);

  void write_configuration(const State& state);
  void write_cluster(const Cluster& of, uint32_t number);
  void write_hosts(const Cluster& of, uint32_t cluster);
  void write_plan(const ResourceGroupLedger& plan, uint32_t number);
  void write_group(const SlotGroup& group);
  void write_members(const SlotGroup& group);
  void write_holdings(const SlotGroup& group);
  void write_transfers(const SlotGroup& group);

  SQLite::Database& db_;
  const Fault none_;
  std::unordered_map<std::string_view, Writing> inserts_;  // by table
};

}  // namespace leasehold
