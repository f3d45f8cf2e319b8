// LogRow: one row of the log: all that one commit keeps. Not what is in its body (log_body.hpp).
// Base: the whole state after an event, with which a log begins whose older rows are gone, and from
// which the past is read without reading all that was before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/record/hash.hpp"
#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold {

struct LogRow {
  int64_t first_event = 0;  // events count from 1, without gaps
  int64_t batch = 0;        // number of the commit
  Instant time;             // of the first event
  bool clock_set = false;   // the first event set time back: `time` may lie before earlier rows
  int core_version = 0;     // of the core that decided it
  int64_t epoch = 0;        // of the broker's leadership; 0: it has the database to itself
  std::string body;
  Hash hash{};  // chain_hash over the row before and all of this one
};

/// Over the hash of the row before and every other column, so that no two different rows give the
/// same bytes. Before the first row stands Hash{}.
Hash chain_hash(const Hash& previous, const LogRow& row);

struct Base {
  int64_t last_event = 0;  // the state is that after it
  int64_t batch = 0;
  Instant time;
  int core_version = 0;
  Hash log_hash{};  // of the row that ends with last_event
  std::string state;
};

/// A base as chunks: the first says what it is, the others are its state, each below 1 MiB. Each
/// carries a hash over the one before it; before the first stands log_hash.
struct Chunk {
  std::string body;
  Hash hash{};
};
std::vector<Chunk> chunks_of(const Base& base);
/// Error (corrupt): a chunk is missing, in another place or another one than was written.
Result<Base> base_of(const std::vector<Chunk>& chunks);

}  // namespace leasehold
