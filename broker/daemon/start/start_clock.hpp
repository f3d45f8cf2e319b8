// Tells whether a broker may start on this database at what the machine's clock shows. A start
// under a clock that is years ahead would write instants that no right clock reaches for years:
// windows, retention and every later history would be wrong. It is asked once, before the database
// is opened for writing. A running broker goes by CLOCK_BOOTTIME, whatever the clock does.
#pragma once

#include <optional>

#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

/// The clock may be this far behind the last event: time servers step clocks, machines are set up
/// before they have one. History then goes on from its last event (common/time/clock.hpp).
inline constexpr int64_t kClockBehindMs = int64_t{24} * 3600 * 1000;
/// The clock may be this far ahead of everything: a broker may have stood still for a year.
inline constexpr int64_t kClockAheadMs = int64_t{400} * 24 * 3600 * 1000;

struct ClockFacts {
  Instant clock;                      // what the machine shows
  std::optional<Instant> last_event;  // nullopt: a new database
  std::optional<Instant> last_write;  // of the database or the file beside it
};

/// An Error says what differs and what to do.
Status check_start_clock(const ClockFacts& facts);

}  // namespace leasehold
