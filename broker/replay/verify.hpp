// Verify: the proof that the record is complete. Feeds every recorded input to the core again and
// demands identical records, epochs and final ledger, and a whole hash chain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/result.hpp"

namespace leasehold {

class SqliteStore;

/// The first thing that is not as it should be.
struct Difference {
  int64_t event_id = 0;  // 0: not of an event
  std::string what;      // "hash", "slots", "ledger of east-batch:west", …
  std::string recorded;  // what the database says
  std::string computed;  // what the core says
};

struct VerifyReport {
  int64_t events = 0;
  int64_t inputs = 0;
  int64_t records = 0;
  int64_t batches = 0;
  int64_t first_event = 0;
  int64_t last_event = 0;
  std::optional<Difference> difference;
  bool ok() const { return !difference.has_value(); }
};

/// An Error only if the history cannot be judged: unreadable, or made by another core.
/// Reads one consistent view, also while a broker writes.
Result<VerifyReport> verify(SqliteStore& store);

/// One sentence for people.
std::string describe(const Difference& difference);

}  // namespace leasehold
