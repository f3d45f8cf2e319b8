// Clock: the one place where time is read. Not for pure code, which is given instants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/instant.hpp"

namespace leasehold {

/// Milliseconds of CLOCK_BOOTTIME: goes on while the machine sleeps, never goes back; for
/// time-outs. Means nothing in another boot or on another machine.
int64_t boottime_ms();

/// What the machine's wall clock says. It may jump: only for what people read.
Instant wall_time();

/// The two clocks that the programs read. Tests have others, which drift, jump and stand still.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  virtual int64_t boottime_ms() const;
  virtual Instant wall_time() const;
  /// Another one after each boot of the machine: instants of CLOCK_BOOTTIME mean nothing across.
  virtual std::string boot_id() const;
};
const TimeSource& machine_time();

/// What both clocks of a machine showed at one moment.
struct BothClocks {
  int64_t boottime_ms = 0;
  Instant wall;
};
/// nullopt: each time that it tried, the process was held up between the one and the other.
std::optional<BothClocks> read_both(const TimeSource& source);

/// Wall time that never goes back: read from the wall clock once, at construction, and carried on
/// by CLOCK_BOOTTIME. Where the wall clock is behind `not_before` (the last instant on record) it
/// begins there: history stays in order and time-outs go on, whatever the wall clock does.
class Clock {
 public:
  /// `source` outlives it.
  explicit Clock(Instant not_before = {}, const TimeSource& source = machine_time());
  Instant now() const;

 private:
  const TimeSource* source_;
  int64_t shown_minus_boottime_ms_;
};

}  // namespace leasehold
