// HttpCounts counts what HTTP does, for `about`, `/metrics` and the log.
#pragma once

#include <cstdint>

namespace leasehold {

struct HttpCounts {
  int64_t connections = 0;  // now
  int64_t streams = 0;      // now
  int64_t requests = 0;     // since the start, as all below
  int64_t refused = 0;      // requests that were wrong, or not allowed
  int64_t too_many = 0;     // above a limit: 429, 503
  int64_t turned_away = 0;  // connections that found no room, or gave theirs up
  int64_t slow = 0;         // connections that were ended because they were slow
  int64_t waiting = 0;      // questions, now
};

}  // namespace leasehold
