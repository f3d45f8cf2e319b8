// Verify: proves that the record is complete. It gives every recorded input to the core again and
// demands the same bytes: records, numbers, and every row of the state that a commit changed. The
// images alone must lead to the same state, and the hash chain must be intact. Decisions of another
// version of the core are not judged: the report names that part, whose chain is checked and whose
// images are followed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/replay/verify_state.hpp"
#include "common/result.hpp"

namespace leasehold {

class Log;

/// A run of events that another core decided.
struct OtherCore {
  int core_version = 0;
  int64_t first_event = 0;
  int64_t last_event = 0;
};

struct VerifyReport {
  int64_t events = 0;
  int64_t inputs = 0;
  int64_t records = 0;
  int64_t batches = 0;
  int64_t first_event = 0;
  int64_t last_event = 0;
  std::vector<OtherCore> not_judged;
  std::optional<Difference> difference;
  /// Returns how many events were decided again with the same result.
  int64_t judged() const;
  bool ok() const { return !difference.has_value(); }
};

/// Returns an Error only if the history cannot be read at all. Reads one consistent view, also
/// while a broker writes.
Result<VerifyReport> verify(Log& log);
Result<VerifyReport> verify_database(const std::string& database);

/// Returns one sentence for people.
std::string describe(const Difference& difference);

}  // namespace leasehold
