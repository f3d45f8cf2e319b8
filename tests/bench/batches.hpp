// Batches are the commits of our loop, as the bare side is to do them again: the same bytes, for as
// many messages. They also count what SQLite wrote.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "broker/store/sqlite/store.hpp"
#include "tests/bench/served.hpp"

struct sqlite3;

namespace leasehold::bench {

struct Batch {
  std::string body;  // of its row of the log
  ServedBatch served;
};

/// Gives the newest rows of the log, one for each of `served`.
std::vector<Batch> batches_of(SqliteStore& store, std::span<const ServedBatch> served);

struct BatchSums {
  double commits = 0;
  double flips = 0;
  double messages = 0;
  double body_bytes = 0;
};
void add_sums(std::span<const Batch> batches, BatchSums& sums);

/// Bytes of write-ahead log that a connection has written so far, with those that it wrote again.
double wal_bytes(sqlite3* db);

}  // namespace leasehold::bench
