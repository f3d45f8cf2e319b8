// SqliteKept: bases and rows in an SQLite file, written and removed by the store's connection.
// For broker/store only.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

#include "broker/store/bases.hpp"
#include "broker/store/sqlite/log_writing.hpp"

namespace leasehold {

class SqliteKept : public KeptLog {
 public:
  /// Throws SQLite's exceptions; its other functions do not throw.
  SqliteKept(SQLite::Database& db, std::string path, const Fault& fault);

  Status put(std::span<const BasePart> parts) override;
  Result<Since> since_base() override;
  /// Returns the bytes of the pages in use: free ones will be used again.
  Result<int64_t> used_bytes() override;
  Status remove_before(int64_t base) override;

 private:
  template <class Do>
  auto guarded(Do act) -> decltype(act());

  SQLite::Database& db_;
  const std::string path_;
  const Fault& fault_;
  LogWriting write_;
};

}  // namespace leasehold
