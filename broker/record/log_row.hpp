// LogRow: one row of the log, with everything that one commit keeps. Its body is described in
// log_body.hpp. Base: the whole state after an event. A log whose older rows are gone begins with
// one, and the past is read from one without reading all rows before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/record/hash.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

struct LogRow {
  int64_t first_event = 0;  // events count from 1, without gaps
  int64_t batch = 0;        // number of the commit
  Instant time;             // of the first event
  bool clock_set = false;   // the first event set time back: `time` may be before earlier rows
  int core_version = 0;     // of the core that decided it
  int64_t epoch = 0;        // of the broker's leadership; 0: it has the database to itself
  std::string body;
  Hash hash{};  // chain_hash over the row before and all of this one
};

/// Hashes the hash of the row before and every other column, so that no two different rows give the
/// same bytes. The hash before the first row is Hash{}.
Hash chain_hash(const Hash& previous, const LogRow& row);

struct Base {
  int64_t last_event = 0;  // the state is the one after it
  int64_t batch = 0;
  Instant time;
  int core_version = 0;
  Hash log_hash{};  // of the row that ends with last_event
  std::string state;
};

/// A part of a base: the first says what it is, the others are its state, each below 1 MiB. Each
/// carries a hash over the one before it; the hash before the first is log_hash.
struct Chunk {
  std::string body;
  Hash hash{};
};
std::vector<Chunk> chunks_of(const Base& base);
/// Adds the next chunk; `left` is how many bytes those after it have together. Error (corrupt): the
/// first one says that there are fewer, so that a base that goes on without end is refused.
Status add_chunk(std::vector<Chunk>& chunks, Chunk chunk, uint64_t& left);
/// Error (corrupt): a chunk is missing, misplaced, or not the one that was written.
Result<Base> base_of(const std::vector<Chunk>& chunks);

}  // namespace leasehold
