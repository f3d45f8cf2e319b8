// WrittenRows: how many rows of which table a store writes, counted while it works.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "broker/store/sqlite/store.hpp"

namespace leasehold::bench {

class WrittenRows {
 public:
  /// Opens a new store whose writes are counted from now on. Lives as long as the store.
  std::unique_ptr<SqliteStore> open(const std::string& path);
  void begin();  // counts from here
  void end();    // to here; counting costs time
  /// Rows inserted, updated or deleted, by table; a statement that changed nothing counts nothing.
  const std::map<std::string, int64_t>& by_table() const { return rows_; }

 private:
  int before_statement(std::string_view sql);

  SqliteStore* store_ = nullptr;
  std::map<std::string, int64_t> rows_;
  std::string table_;
  int64_t changes_ = 0;
  bool counting_ = false;
};

}  // namespace leasehold::bench
