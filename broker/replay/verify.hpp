// Verify: the proof that the record is complete. Feeds every recorded input to the core again and
// demands identical records, epochs and final ledger, and a whole hash chain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/replay/verify_state.hpp"
#include "common/result.hpp"

namespace leasehold {

class SqliteStore;

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
