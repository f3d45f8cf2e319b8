// The only place where time is read. Pure code is given instants instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/time/instant.hpp"

namespace leasehold {

/// Milliseconds of CLOCK_BOOTTIME, for time-outs: it goes on while the machine sleeps and never
/// goes back. It means nothing in another boot or on another machine.
int64_t boottime_ms();

/// Returns the time of the machine's wall clock. It may jump, so it is only for what people read.
Instant wall_time();

/// The two clocks that the programs read. Tests have others, which drift, jump and stop.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  virtual int64_t boottime_ms() const;
  virtual Instant wall_time() const;
  /// Changes with each boot of the machine: instants of CLOCK_BOOTTIME mean nothing across boots.
  virtual std::string boot_id() const;
};
const TimeSource& machine_time();

/// The readings of both clocks of a machine at one moment.
struct BothClocks {
  int64_t boottime_ms = 0;
  Instant wall;
};
/// Returns nullopt if the process was held up between the two readings at each try.
std::optional<BothClocks> read_both(const TimeSource& source);

/// Wall time that never goes back: it is read from the wall clock at construction and carried on by
/// CLOCK_BOOTTIME. If the wall clock is behind `not_before` (the last instant on record), it begins
/// there: history stays in order and time-outs go on, whatever the wall clock does.
class Clock {
 public:
  /// `source` must outlive it.
  explicit Clock(Instant not_before = {}, const TimeSource& source = machine_time());
  Instant now() const;

 private:
  const TimeSource* source_;
  int64_t shown_minus_boottime_ms_;
};

}  // namespace leasehold
