// Verify: the proof that the record is complete. Feeds every recorded input to the core again and
// demands the same bytes: records, numbers, and every row of the state that a commit changed; and
// that those images alone lead to the same state; and a whole hash chain.
// What another version of the core decided is not judged: that part is named, its chain checked and
// its images followed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/replay/verify_state.hpp"
#include "common/result.hpp"

namespace leasehold {

class Log;

/// Events that another core decided, one after the other.
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
  /// Events that were decided again, and alike.
  int64_t judged() const;
  bool ok() const { return !difference.has_value(); }
};

/// An Error only if the history cannot be read at all. Reads one consistent view, also while a
/// broker writes.
Result<VerifyReport> verify(Log& log);
/// The same of a database by its name.
Result<VerifyReport> verify_database(const std::string& database);

/// One sentence for people.
std::string describe(const Difference& difference);

}  // namespace leasehold
