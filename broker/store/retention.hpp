// Retention: how long history is kept, and how large it may get: pure rules. While it grows its
// store writes a base of the whole state, once an eighth of the age has passed or enough rows were
// written; what is before one of them is removed, and history begins there (bases.hpp). All depend
// on the recorded input alone, so that two equal runs give equal files.
#pragma once

#include <cstdint>

#include "common/time/instant.hpp"

namespace leasehold {

/// 0: no limit. The size is of the rows and bases, not of a write-ahead log, and cannot go below
/// what two bases need.
struct Retention {
  int64_t age_ms = 0;
  int64_t size_bytes = 0;
  bool operator==(const Retention&) const = default;
};

/// Returns the bytes of history after which the next base is needed.
int64_t base_interval_bytes(const Retention& retention, int64_t last_base_bytes);
/// True if a base is needed; `since` is the time from which its age counts (KeptLog::Since).
bool is_base_needed(const Retention& retention, int64_t bytes_since, int64_t last_base_bytes,
                    Instant since, Instant now);
/// Above that, something is removed: there is room for what is written before the next chance to.
int64_t most_bytes(const Retention& retention);

}  // namespace leasehold
