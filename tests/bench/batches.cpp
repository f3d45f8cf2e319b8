#include "tests/bench/batches.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "common/check.hpp"

namespace leasehold::bench {

std::vector<Batch> batches_of(SqliteStore& store, std::span<const ServedBatch> served) {
  SQLite::Statement rows(store.database(),
                         "SELECT body FROM log WHERE batch > ? ORDER BY first_event");
  rows.bind(1, store.commit_number() - static_cast<int64_t>(served.size()));
  std::vector<Batch> batches;
  while (rows.executeStep()) {
    const SQLite::Column body = rows.getColumn(0);
    Batch& batch = batches.emplace_back();
    batch.body.assign(static_cast<const char*>(body.getBlob()),
                      static_cast<size_t>(body.getBytes()));
    batch.served = served[batches.size() - 1];
  }
  LEASEHOLD_CHECK(batches.size() == served.size(), "each commit is one row of the log");
  return batches;
}

void add_sums(std::span<const Batch> batches, BatchSums& sums) {
  sums.commits += static_cast<double>(batches.size());
  for (const Batch& batch : batches) {
    sums.flips += static_cast<double>(batch.served.flips);
    sums.messages += static_cast<double>(batch.served.messages);
    sums.body_bytes += static_cast<double>(batch.body.size());
  }
}

double wal_bytes(sqlite3* db) {
  constexpr double kFrameHeaderBytes = 24;
  constexpr double kPageBytes = 4096;
  int pages = 0;
  int most = 0;
  const int code = sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &most, 0);
  LEASEHOLD_CHECK(code == SQLITE_OK, "SQLite counts the pages that it writes");
  return pages * (kPageBytes + kFrameHeaderBytes);
}

}  // namespace leasehold::bench
